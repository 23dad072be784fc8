import Testing

/// A disk that fills up under a mounted space.
@Suite struct CommandFullDiskTests {
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a small file system"))
  func nothingAcknowledgedIsLostAndDeletingWorks() throws {
    try expectSuccess(
      """
      used=$(du -sm Vault | cut -f 1)
      mkdir disk
      mount -t tmpfs -o size=$((used + 60))m none disk
      cp -a Vault disk/
      agonyfs mount --password-file password disk/Vault Albums
      head -c 4000000 /dev/urandom > photo
      n=0
      # Each photo is written and synced, until one is refused.
      while dd if=photo of=Albums/photo$n bs=1M conv=fsync 2> errors; do n=$((n + 1)); test $n -lt 100; done
      grep -q 'No space left' errors
      test $n -ge 3
      rm Albums/photo$n Albums/photo0
      test "$(cat Albums/photo1 | cmp - photo && echo same)" = same
      agonyfs unmount Albums
      agonyfs mount --password-file password disk/Vault Albums
      for i in $(seq $((n - 1))); do cmp photo Albums/photo$i; done
      not test -e Albums/photo0
      rm Albums/photo*
      # The room comes back, in steps, as dead files of the vault are deleted.
      again() { cp photo Albums/again && sync -f Albums; }
      wait_for 600 'there is room' again
      cmp photo Albums/again
      agonyfs unmount Albums
      """)
  }

  private static let ext4 = CrashLoad.canMount("ext4")

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func aSmallExt4FillsUpAndGivesRoomAgain() throws {
    try expectSuccess(
      """
      small_ext4 80
      agonyfs mount --password-file password disk/Vault Albums
      daemon=$(pgrep -f "^agonyfs mount .*$W/Albums")
      head -c 3000000 /dev/urandom > photo
      mkdir Albums/old
      for n in 1 2 3 4; do cp photo Albums/old/$n; done
      # The kernel tells no file system in user space of sync -f.
      sync Albums/old/* Albums/old

      fill() {
        n=0
        while dd if=photo of=Albums/$1$n bs=100k conv=fsync 2> errors; do n=$((n + 1)); test $n -lt 100; done
        grep -q 'No space left' errors
      }
      whole() { for file in "$@"; do cmp photo $file || return 1; done; }
      has_room() { test "$(df --output=avail -k Albums | tail -n 1)" -gt 30000; }

      # Three times over: full, whole, room again, on what is the same disk and the same mount.
      for round in 1 2 3; do
        fill f
        filled=$n
        test $filled -ge 3
        for i in $(seq 0 $((filled - 1))); do whole Albums/f$i; done
        whole Albums/old/*
        # Small files, names and attributes meet the same error or work, and nothing in between.
        i=0
        small() { { echo $i && head -c 20000 photo; } > Albums/small$i && sync Albums/small$i; }
        while small 2> errors; do i=$((i + 1)); test $i -lt 2000; done
        grep -q 'No space left' errors
        for j in $(seq 0 $((i - 1))); do test "$(head -n 1 Albums/small$j)" = $j; done
        # Deleting works at once, and is durable.
        rm -f Albums/f* Albums/small*
        sync Albums
        test "$(ls Albums)" = old
        i=0
        until dd if=photo of=Albums/again bs=100k conv=fsync 2> errors; do
          grep -q 'No space left' errors
          i=$((i + 1))
          test $i -lt 3000
          sleep 0.1
        done
        whole Albums/again Albums/old/*
        rm Albums/again
        sync Albums
        wait_for 600 'there is room' has_room
      done
      test "$(pgrep -f "^agonyfs mount .*$W/Albums")" = $daemon
      grep -q '"readOnly": null' Albums/.agonyfs/status

      # What another program leaves of the disk is nothing; what was there stays, and deleting works.
      cp photo Albums/late
      sync Albums/late
      dd if=/dev/zero of=disk/other bs=64k 2> errors || grep -q 'No space left' errors
      fill g
      for i in $(seq 0 $((n - 1))); do whole Albums/g$i; done
      whole Albums/late Albums/old/*
      rm Albums/old/1
      sync Albums
      agonyfs unmount Albums
      agonyfs mount --password-file password disk/Vault Albums
      whole Albums/late Albums/old/*
      test "$(ls Albums/old | wc -l)" = 3
      agonyfs unmount Albums
      rm disk/other
      agonyfs check --read-data --password-file password disk/Vault
      umount disk
      """)
  }

  /// Of X bytes deleted on a full disk 80 % less four segments can be written, also where what is live lies between
  /// what was deleted, and the disk was full when it was mounted.
  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func whatIsDeletedOnASmallExt4CanBeWritten() throws {
    try expectSuccess(
      """
      small_ext4 100
      agonyfs mount --password-file password disk/Vault Albums
      head -c 1300000 /dev/urandom > photo
      head -c 40000 photo > picture
      head -c 700 photo > note
      n=0
      while dd if=note of=Albums/note$n bs=2M conv=fsync && dd if=picture of=Albums/picture$n bs=2M conv=fsync &&
        dd if=photo of=Albums/photo$n bs=2M conv=fsync; do n=$((n + 1)); test $n -lt 200; done 2> errors
      grep -q 'No space left' errors
      rm -f Albums/*$n
      agonyfs unmount Albums
      agonyfs mount --password-file password disk/Vault Albums
      deleted=0
      for i in $(seq 0 2 $((n - 1))); do
        rm Albums/note$i Albums/picture$i Albums/photo$i
        deleted=$((deleted + 1340700))
      done
      m=0
      while dd if=photo of=Albums/again$m bs=100k conv=fsync 2> errors; do m=$((m + 1)); test $m -lt 200; done
      grep -q 'No space left' errors
      rm Albums/again$m
      echo "$n photos, $deleted bytes deleted, $m photos written"
      test $((m * 1300000)) -ge $((deleted / 10 * 8 - 4 * 1048576))
      agonyfs unmount Albums
      agonyfs mount --password-file password disk/Vault Albums
      for i in $(seq 1 2 $((n - 1))); do
        cmp note Albums/note$i && cmp picture Albums/picture$i && cmp photo Albums/photo$i
      done
      for i in $(seq 0 $((m - 1))); do cmp photo Albums/again$i; done
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password disk/Vault
      umount disk
      """)
  }

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func whatWasAllocatedIsWrittenOnAFullExt4() throws {
    try expectSuccess(
      """
      small_ext4 100
      agonyfs mount --password-file password disk/Vault Albums
      head -c 20000000 /dev/urandom > video
      available() { df --output=avail -k Albums | tail -n 1; }

      before=$(available)
      not fallocate -l 200M Albums/huge 2> errors
      grep -q 'No space left' errors
      test $(available) -gt $((before - 3000))
      fallocate -l 20000000 Albums/video
      touch Albums/small
      fallocate -n -l 5000000 Albums/small
      test $(stat -c '%b' Albums/video) -ge $((20000000 / 512))
      test $(stat -c '%s %b' Albums/small | cut -d ' ' -f 1) = 0
      test $(available) -lt $((before - 25000))
      sync Albums/video Albums/small

      # Another program leaves nothing of the disk.
      dd if=/dev/zero of=disk/other bs=64k 2> errors || grep -q 'No space left' errors
      test $(available) -lt 3000
      # As a download is written: in order, synced now and then. Then in small pieces.
      blocks=$(stat -c '%b' Albums/video)
      for n in $(seq 0 19); do
        dd if=video of=Albums/video bs=1000000 count=1 skip=$n seek=$n conv=notrunc,fsync 2> errors
      done
      cmp video Albums/video
      test $(stat -c '%b' Albums/video) -le $blocks
      dd if=video of=Albums/small bs=777 count=6000 conv=notrunc,fsync 2> errors
      head -c 4662000 video | cmp - Albums/small
      # There is no more than that.
      not cp video Albums/more 2> errors
      grep -q 'No space left' errors
      rm -f Albums/more
      agonyfs unmount Albums
      agonyfs mount --password-file password disk/Vault Albums
      cmp video Albums/video
      head -c 4662000 video | cmp - Albums/small
      # What is not needed comes back.
      rm disk/other
      fallocate -l 20M Albums/again
      rm Albums/again Albums/small
      sync Albums
      has_room() { test $(available) -gt $((before - 35000)); }
      wait_for 600 'the room is back' has_room
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password disk/Vault
      umount disk
      """)
  }
}

/// A hidden space on a disk that is full: its cover is its reserve.
extension CommandFullDiskTests {
  private static let xfs = CrashLoad.canMount("xfs")
  private static let btrfs = CrashLoad.canMount("btrfs")

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func aHiddenSpaceIsFilledOnAFullExt4() throws { try fillHidden(on: "ext4") }

  @Test(.enabled(if: xfs, "needs root, loop devices, XFS and xfsprogs"))
  func aHiddenSpaceIsFilledOnAFullXFS() throws { try fillHidden(on: "xfs") }

  @Test(.enabled(if: btrfs, "needs root, loop devices, btrfs and btrfs-progs"))
  func aHiddenSpaceIsFilledOnAFullBtrfs() throws { try fillHidden(on: "btrfs", missing: 1) }

  /// It takes what it is made for, twice, and no file comes or goes. Where bytes that replace others go elsewhere, one is
  /// missing until there is room.
  private func fillHidden(on kind: String, missing: Int = 0) throws {
    try expectSuccess(
      """
      make_disk 400M \(kind)
      mv Vault disk/
      number=$(files disk/Vault)
      # Another program leaves nothing of the disk.
      for size in 1M 4k; do
        dd if=/dev/zero of=disk/other$size bs=$size conv=fsync 2> errors || grep -q 'No space left' errors
        sync -f disk
      done
      head -c 2000000 /dev/urandom > photo
      for round in 1 2; do
        agonyfs mount --password-file password disk/Vault Albums
        n=0
        while dd if=photo of=Albums/photo$n bs=100k conv=fsync 2> errors; do n=$((n + 1)); test $n -lt 100; done
        grep -q 'No space left' errors
        # 24 MiB, and at most 16 MiB more.
        test $n -ge 12
        test $n -le 21
        rm Albums/photo$n
        sync Albums
        test "$(find disk/Vault/segments -type f | wc -l)" -ge $((number - \(missing)))
        agonyfs unmount Albums
        test "$(files disk/Vault)" -ge $((number - \(missing)))
        agonyfs mount --password-file password disk/Vault Albums
        for i in $(seq 0 $((n - 1))); do cmp photo Albums/photo$i; done
        rm Albums/photo*
        agonyfs unmount Albums
        test "$(files disk/Vault)" -ge $((number - \(missing)))
      done
      rm disk/other*
      sync -f disk
      agonyfs mount --password-file password disk/Vault Albums
      echo more > Albums/more
      agonyfs unmount Albums
      test "$(files disk/Vault)" = $number
      for password in first password; do agonyfs check --read-data --password-file $password disk/Vault; done
      umount disk
      """, ownCover: "24M")
  }
}
