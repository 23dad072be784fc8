import Glibc
import TestSupport
import Testing

/// mount(8), lines of fstab, and users other than root. A mount namespace of the test's own keeps the system as it was.
@Suite struct SystemMountTests {
  /// Runs a script in a mount namespace in which mount(8) finds the program.
  private func expectSuccessInNamespace(_ script: String) throws {
    let start = """
      mount -t tmpfs none /usr/local/bin
      ln -s "$AGONYFS" /usr/local/bin/agonyfs

      """
    try expectSuccess(inNamespaceOf: Workspace.withVault(), start + script)
  }

  /// Puts the vault into the hands of another user, whom `user` becomes. In containers the device may be closed to
  /// users, which udev would open.
  private static let becomeUser = """
    open_device
    cp "$AGONYFS" program
    chmod 0755 "$W" program
    mkdir home
    chown 65534:65534 Albums password home
    user() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$W/home" "$@"; }
    rm -r Vault
    user ./program create --kdf interactive --segment-size 1M --password-file password home/Vault
    ln -s home/Vault Vault

    """

  @Test(.enabled(if: Workspace.isRoot, "needs root, as mount(8) does"))
  func mountEightTakesTheUsualOptions() throws {
    try expectSuccessInNamespace(
      """
      mount -t fuse.agonyfs "$W/Vault" "$W/Albums" -o passfile="$W/password",allow_other,nodev,noatime,x-systemd.automount
      grep -E "^$W/Vault $W/Albums fuse.agonyfs .*nodev.*allow_other" /proc/mounts
      echo text > Albums/file
      umount Albums
      mount -r -t fuse.agonyfs "$W/Vault" "$W/Albums" -o passfile="$W/password"
      test "$(cat Albums/file)" = text
      not touch Albums/other
      umount Albums
      """)
  }

  private static let hasAutofs = unsafe access("/dev/autofs", F_OK) == 0

  /// What systemd and automount(8) do: a directory has all but their process group wait until something is mounted there.
  @Test(.enabled(if: Workspace.isRoot && hasAutofs, "needs root, and autofs in the kernel"))
  func anAutomountIsAnsweredByAMount() throws {
    try expectSuccessInNamespace(
      #"""
      agonyfs mount --password-file password Vault Albums
      echo text > Albums/file
      agonyfs unmount Albums
      cat > automount.py <<'END'
      import contextlib, ctypes, fcntl, os, struct, subprocess, time
      os.setpgid(0, 0)
      asked, asks = os.pipe()
      libc = ctypes.CDLL(None, use_errno=True)
      place = f"{os.environ['W']}/Albums".encode()
      words = f"fd={asks},pgrp={os.getpgid(0)},minproto=5,maxproto=5,direct".encode()
      assert libc.mount(b"test", place, b"autofs", 0, words) == 0, os.strerror(ctypes.get_errno())
      served = os.open(place, os.O_RDONLY)
      def ready(number, is_good):
          # AUTOFS_IOC_READY and AUTOFS_IOC_FAIL (linux/auto_fs.h) with the token of the question.
          fcntl.ioctl(served, 0x9360 if is_good else 0x9361, struct.unpack_from("iiI", number)[2])
      # Somebody looks.
      looks = subprocess.Popen(["cat", place + b"/file"], stdout=subprocess.PIPE, start_new_session=True)
      question = os.read(asked, 4096)
      mount = subprocess.Popen(["mount", "-t", "fuse.agonyfs", os.environ["W"] + "/Vault", place,
                                "-o", "passfile=" + os.environ["W"] + "/password"])
      def waits_for_itself():
          for each in filter(str.isdigit, os.listdir("/proc")):
              with contextlib.suppress(OSError):
                  waits = open(f"/proc/{each}/wchan").read() == "autofs_wait"
                  if waits and int(each) != looks.pid and place in open(f"/proc/{each}/cmdline", "rb").read():
                      return True
      seen = 0
      while (status := mount.poll()) is None and seen < 100:
          seen = seen + 1 if waits_for_itself() else 0
          time.sleep(0.05)
      ready(question, status == 0)
      assert status == 0, "the mount waits for itself" if status is None else status
      assert looks.communicate()[0] == b"text\n" and looks.returncode == 0
      # Whoever has the directory below open keeps the automount from ending when nobody uses it.
      for each in filter(str.isdigit, os.listdir("/proc")):
          with contextlib.suppress(OSError):
              if int(each) == os.getpid() or place not in open(f"/proc/{each}/cmdline", "rb").read(): continue
              held = [os.readlink(f"/proc/{each}/fd/{number}") for number in os.listdir(f"/proc/{each}/fd")]
              assert place.decode() not in held, held
      END
      python3 automount.py
      agonyfs unmount Albums
      """#)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, as mount(8) does"))
  func mountEightGivesOurStatus() throws {
    try expectSuccessInNamespace(
      """
      echo wrong > wrong
      says 12 'No space' mount -t fuse.agonyfs "$W/Vault" "$W/Albums" -o passfile="$W/wrong"
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, as mount(8) does"))
  func lineOfFstab() throws {
    try expectSuccessInNamespace(
      """
      echo "$W/Vault $W/Albums fuse.agonyfs passfile=$W/password,nofail 0 0" > fstab
      mount --fstab fstab -a
      echo text > Albums/file
      # What is mounted already is left alone.
      mount --fstab fstab -a
      test "$(grep -c " $W/Albums " /proc/mounts)" = 1
      umount Albums
      mount --fstab fstab "$W/Albums"
      test "$(cat Albums/file)" = text
      umount Albums
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to become another user"))
  func unprivilegedUserMountsAndUnmounts() throws {
    try expectSuccessInNamespace(
      Self.becomeUser + """
        user ./program mount --password-file password Vault Albums
        # Nobody of the same user may look into it, its memory is locked, and it leaves no core dump.
        pid=$(pgrep -of "^agonyfs mount .*$W/Albums")
        test "$(stat -c %u /proc/$pid/mem)" = 0
        test "$(cat /proc/$pid/comm)" = agonyfs
        not user ls /proc/$pid/fd
        grep -E '^Max core file size +1 +1 ' /proc/$pid/limits
        grep -E '^VmLck:.*[1-9]' /proc/$pid/status
        user sh -c 'echo mine > Albums/file; mkdir Albums/album; chmod 0750 Albums/album'
        user test -O Albums/file
        # Others do not get in, root neither.
        not cat Albums/file
        user ./program unmount Albums
        user ./program mount --password-file password Vault Albums
        test "$(user stat -c '%a %u' Albums/album)" = '750 65534'
        user fusermount3 -u Albums
        if ! grep -q '^user_allow_other' /etc/fuse.conf; then
          says 1 user_allow_other user ./program mount -o allow_other --password-file password Vault Albums
        fi
        """)
  }

  @Test(
    .enabled(if: Workspace.isRoot, "needs root, to become another user and to hold a copy of the table of mounts"),
    arguments: TestLength.drawn(
      [
        "user ./program unmount Albums", "./program unmount Albums", "user fusermount3 -u Albums", "umount Albums",
        "kill -TERM $pid",
      ], 2))
  func whatAUserUnmountsIsLocked(_ ending: String) throws {
    try expectSuccessInNamespace(
      Self.becomeUser + """
        mount_it() {
          user ./program mount --password-file password Vault Albums
          pid=$(pgrep -of "^agonyfs mount .*$W/Albums")
        }
        mount_it
        user sh -c 'echo mine > Albums/file'
        cp "$MAPWRITER" .
        setsid unshare -m --propagation private setpriv --reuid 65534 --regid 65534 --clear-groups \\
          ./map-writer Albums/mapped 3000000 home/held & holder=$!
        trap 'kill $holder' EXIT
        trap 'exit 1' TERM
        wait_for 600 'the file is held' test -e home/held
        \(ending)
        gone $pid
        not nsenter -t $holder -m setpriv --reuid 65534 --regid 65534 --clear-groups cat "$W/Albums/file" 2> errors
        grep -q 'not connected' errors
        mount_it
        test "$(user cat Albums/file)" = mine
        head -c 3000000 /dev/zero | tr '\\0' x | user cmp - Albums/mapped
        user sh -c 'exec 5> Albums/open; ./program unmount --lazy Albums; echo words >&5'
        gone $pid
        mount_it
        test "$(user cat Albums/open)" = words
        user sh -c 'exec 5> Albums/open; echo more >&5; ./program unmount --force Albums'
        not pgrep -of "^agonyfs mount .*$W/Albums"
        mount_it
        test "$(user cat Albums/open)" = more
        user ./program unmount Albums
        """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to become another user"))
  func closedDeviceIsSaid() throws {
    try expectSuccessInNamespace(
      """
      open_device
      chmod 0600 dev/fuse
      cp "$AGONYFS" program
      chmod 0755 "$W" program
      chown -R 65534:65534 Vault Albums password
      says 1 '/dev/fuse: its mode is 0600' setpriv --reuid 65534 --regid 65534 --clear-groups \\
        ./program mount --password-file password Vault Albums
      """)
  }
}
