import TestSupport
import Testing

/// Root mounts the vault of a user, as lines of fstab and services of the system do: the user's own commands work
/// afterwards, and no owner tells what belongs to which space.
@Suite(.enabled(if: Workspace.isRoot, "needs root, and another user")) struct RootMountTests {
  /// `user COMMAND` is the user, whose vault is in `home`; `uniform` says that all files there have one owner, group and
  /// mode, and all folders too.
  private static let start = """
    open_device
    cp "$AGONYFS" program
    cp "${AGONYFS%/*}/agonyfs-decoder" .
    chmod 0755 "$W" program agonyfs-decoder
    mkdir -p home/Albums Albums
    printf 'correct horse battery staple\\n' > home/password
    chown -R $ids home
    cp home/password password
    user() { setpriv --reuid ${ids%:*} --regid ${ids#*:} --clear-groups env HOME="$W/home" "$@"; }
    lines() { find home/Vault/segments home/Vault/agonyfs.json "$@" -printf '%U:%G %m\\n' | sort -u; }
    uniform() {
      test "$(lines -type f)" = "$ids ${1:-600}"
      test "$(lines -type d)" = "$ids ${2:-700}"
      test "$(ls -A home/Vault | tr '\\n' ' ')" = 'agonyfs.json segments '
    }
    create() { user ./program create --kdf interactive --segment-size 1M --password-file home/password "$@" home/Vault; }
    by_root() {
      ./program mount -o allow_other --password-file password home/Vault Albums
      sh -ec "$1"
      ./program unmount Albums
    }
    by_user() {
      user ./program mount --password-file home/password home/Vault home/Albums
      user sh -ec "$1"
      user ./program unmount home/Albums
      user ./program check --read-data --password-file home/password home/Vault
    }
    fill() { head -c 3000000 /dev/urandom > $1; }

    """

  private func expect(_ ids: String, _ script: String) throws {
    try expectSuccess(inNamespaceOf: Workspace(), "ids=\(ids)\n" + Self.start + script)
  }

  @Test(arguments: ["65534:65534", "5:60"]) func rootAndUserTakeTurns(_ ids: String) throws {
    let turns = TestLength.count(2, few: 1, name: ids)
    try expect(
      ids,
      """
      create --cover 0
      uniform
      for turn in $(seq \(turns)); do
        by_root 'head -c 3000000 /dev/urandom > Albums/root'$turn'; cp Albums/root'$turn' copy'$turn
        uniform
        chmod 644 copy$turn
        by_user 'cmp home/Albums/root'$turn' copy'$turn'; head -c 3000000 /dev/urandom > home/Albums/user'$turn
        uniform
      done
      # What changes the vault without a mount.
      ./program password change --password-file password --new-password-file password home/Vault 2> errors || true
      echo 'another password of the space' > other
      ./program password add --password-file password --new-password-file other home/Vault
      uniform
      ./program refresh home/Vault
      uniform
      user ./program refresh home/Vault
      """)
  }

  /// The owner of a space sees in views what a group of theirs may read, whoever mounted it.
  @Test func viewsKnowTheGroupsOfTheOwner() throws {
    try expect(
      "65534:65534",
      """
      printf 'root:x:0:0::/:/bin/sh\nowner:x:65534:65534::/:/bin/sh\n' > passwd
      printf 'root:x:0:\nowner:x:65534:\nclub:x:7777:owner\nothers:x:7778:root\n' > group
      mount --bind passwd /etc/passwd
      mount --bind group /etc/group
      create --cover 0
      by_root '
        for name in mine club others; do vips gaussnoise $name.jpg 64 48; cp $name.jpg Albums/; chmod 640 Albums/$name.jpg; done
        chown 65534:65534 Albums/mine.jpg
        chown 0:7777 Albums/club.jpg
        chown 0:7778 Albums/others.jpg
        ./program thumbnails Albums
        setpriv --reuid 65534 --regid 65534 --groups 7777 ls Albums/.agonyfs/views/by-type/jpeg > seen
        printf "club.jpg\nmine.jpg\n" | cmp - seen
      '
      """)
  }

  @Test func coverIsMadeLikeEverythingElse() throws {
    try expect(
      "65534:65534",
      """
      echo 'the password of the first space' > home/first
      chmod 644 home/first
      user ./program create --kdf interactive --segment-size 1M --cover 40M --password-file home/first \\
        --hidden-password-file home/password home/Vault
      uniform
      by_root 'head -c 3000000 /dev/urandom > Albums/root; rm Albums/root; head -c 3000000 /dev/urandom > Albums/more'
      uniform
      by_user 'test -e home/Albums/more'
      """)
  }

  /// What the user has changed for all files holds for new ones, whatever folders hand down.
  @Test func modesAndGroupsAreThoseOfTheVault() throws {
    try expect(
      "65534:65534",
      """
      mkdir home/Vault
      chown 65534:1234 home/Vault
      chmod 3770 home/Vault
      setfacl -d -m u:4321:rwx -m g::rwx -m o::r home/Vault
      setpriv --reuid 65534 --regid 65534 --groups 1234 env HOME="$W/home" ./program create --kdf interactive \\
        --segment-size 1M --cover 0 --password-file home/password home/Vault
      ids=65534:1234
      uniform 600 2700
      by_root 'head -c 3000000 /dev/urandom > Albums/root'
      uniform 600 2700
      umask 0
      user() { setpriv --reuid 65534 --regid 65534 --groups 1234 env HOME="$W/home" "$@"; }
      by_user 'head -c 3000000 /dev/urandom > home/Albums/user'
      uniform 600 2700
      chmod -R g+rX home/Vault
      by_root 'head -c 3000000 /dev/urandom > Albums/root2'
      uniform 640 2750
      by_user 'head -c 3000000 /dev/urandom > home/Albums/user2'
      uniform 640 2750
      """)
  }

  /// A link that the user puts in the place of a folder leads nobody elsewhere.
  @Test func nothingIsMadeThroughALink() throws {
    try expect(
      "65534:65534",
      """
      create --cover 0
      mkdir elsewhere
      ./program mount -o allow_other --password-file password home/Vault Albums
      for folder in home/Vault/segments/*; do
        if rmdir $folder 2> /dev/null; then ln -s "$W/elsewhere" $folder; fi
      done
      head -c 6000000 /dev/urandom > Albums/root || true
      sync Albums/root || true
      ./program unmount Albums || true
      test -z "$(ls -A elsewhere)"
      """)
  }

  @Test func rootCreatesInTheUsersDirectory() throws {
    try expect(
      "65534:65534",
      """
      user mkdir home/Vault
      ./program create --kdf interactive --segment-size 1M --cover 0 --password-file password home/Vault
      chmod 700 home/Vault
      uniform
      by_user 'test -d home/Albums'
      uniform
      """)
  }

  /// Earlier versions left files of root's. The user is told what to do, and so is root before a refresh.
  @Test func filesOfRootAreNamed() throws {
    try expect(
      "65534:65534",
      """
      create --cover 0
      by_user 'head -c 5000000 /dev/urandom > home/Albums/user'
      chown 0:0 home/Vault/agonyfs.json $(find home/Vault/segments -type f)
      says 1 'belongs to root' user ./program mount --password-file home/password home/Vault home/Albums
      grep -q 'chown -R 65534:65534' err
      by_root 'test -s Albums/user'
      test "$(stat -c %U home/Vault/agonyfs.json)" = root
      says 1 'belongs to root' ./program refresh home/Vault
      grep -q 'chown -R 65534:65534' err
      chown -R 65534:65534 home/Vault
      uniform
      by_user 'test -s home/Albums/user'
      """)
  }

  /// Nobody gets a directory or a file of root's by moving it into a vault, whatever its time is.
  @Test func nothingOfRootIsGivenAway() throws {
    try expect(
      "65534:65534",
      """
      create --cover 0
      by_user 'head -c 3000000 /dev/urandom > home/Albums/user'
      for folder in home/Vault/segments/[3-9]*; do if rmdir $folder 2> /dev/null; then break; fi; done
      mkdir $folder
      echo secret > $folder/secret
      file=home/Vault/segments/ab/$(printf 'ab%030d' 7)
      head -c 1M /dev/zero > $file
      touch -d '2000-01-01 UTC' $file
      for turn in 1 2; do by_root 'test -s Albums/user; head -c 1000000 /dev/urandom > Albums/more'; done
      test "$(stat -c %U $folder $folder/secret $file | sort -u)" = root
      test "$(stat -c %Y $folder)" != 946684800
      test "$(wc -c < $file)" = 1048576
      # Something of the vault may be in it by now.
      rm $folder/secret $file
      chown $ids $folder
      chmod 700 $folder
      by_root 'test -s Albums/more'
      uniform
      by_user 'test -s home/Albums/more'
      """)
  }
}
