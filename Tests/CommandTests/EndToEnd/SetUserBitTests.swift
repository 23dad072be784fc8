import Testing

/// What takes the set-user-ID and set-group-ID bits away on the host's own file system does so in a mount, and nothing
/// else does.
@Suite struct SetUserBitTests {
  /// Changes files of all such modes in every way, and prints what is left of the modes.
  private static let actions = """
    cd "$1"
    for mode in 4755 2755 6777 2767 6766 4666 2757; do
      for action in write append cut open allocate owner group copy; do
        file=$mode-$action
        echo content > $file
        chmod $mode $file
        stat -c %a $file > /dev/null
        case $action in
        write) printf x | dd of=$file conv=notrunc status=none ;;
        append) echo more >> $file ;;
        cut) truncate -s 3 $file ;;
        open) : > $file ;;
        allocate) fallocate -l 100 $file ;;
        owner) chown $(id -u):$(id -g) $file ;;
        group) chgrp $(id -g) $file ;;
        copy) head -c 9 /dev/zero > source; cp --no-preserve=mode source $file ;;
        esac
        echo $action $mode $(stat -c %a $file)
      done
    done
    for file in other-*; do
      echo text >> $file
      echo $file $(stat -c %a $file)
    done
    """

  @Test(.enabled(if: Workspace.isRoot, "needs root, to be two users"))
  func bitsGoAsOnTheHost() throws {
    let workspace = try Workspace.withVault()
    try workspace.write(Self.actions, to: "actions")
    try expectSuccess(
      workspace,
      """
      agonyfs mount -o suid,allow_other --password-file password Vault Albums
      chmod 755 . actions
      mkdir Plain Albums/inside
      for folder in Plain Albums/inside; do
        for mode in 4777 6777 2767 2777; do
          echo text > $folder/other-$mode
          chmod $mode $folder/other-$mode
        done
        chown 65534:65534 $folder
        setpriv --reuid=65534 --regid=65534 --clear-groups sh ./actions "$W/$folder" > $(basename $folder).modes
        sh ./actions "$W/$folder" >> $(basename $folder).modes
      done
      agonyfs unmount Albums
      test $(wc -l < Plain.modes) = 120
      grep -q '^write 4755 755$' Plain.modes
      grep -q '^write 4755 4755$' Plain.modes
      diff Plain.modes inside.modes
      """)
  }
}
