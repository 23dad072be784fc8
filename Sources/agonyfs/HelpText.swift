/// The longer texts of `--help`.
enum HelpText {
  static let root = """
    A vault is a directory of equal-sized files that look like random bytes. A password opens one space in it and \
    mounts that space as a file system: directories are albums, files are photos and videos. Another password mounts \
    another space, and nobody who holds the vault can tell how many spaces there are.

    EXAMPLES

      agonyfs create ~/Vault              a vault, and its first space
      mkdir ~/Albums
      agonyfs mount ~/Vault ~/Albums      asks for the password
      cp -a ~/Pictures/. ~/Albums/
      agonyfs unmount ~/Albums
      agonyfs space add ~/Vault           another password, another space

    EXIT STATUSES

    \(exitStatuses)

    WHAT IS NOT PROMISED

    - Who sees the vault at several times, or the change times and journal of the file system under it, can see that \
    it changed and roughly how much.
    - Far more files than cover plausibly makes are suspicious. A new vault gets at least 4 cover files, half of all \
    vaults more than 8, one in a hundred more than 400; create --cover makes more.
    - Changing a password does not revoke copies of the vault that were made before.
    - Putting a whole older vault back cannot be noticed from the vault alone; mount --remember notices it on this \
    machine.
    - While a space is mounted, programs may keep thumbnails and lists of recent files outside the vault.

    Nobody can recover a forgotten password.
    """

  /// One line for each exit status.
  static let exitStatuses = CommandStatus.allCases.map { status in
    let number = String(status.rawValue)
    return "  " + String(repeating: " ", count: 2 - number.count) + number + "  " + status.explanation
  }.joined(separator: "\n")

  static let password = """
    Without an option the password is asked for at the terminal, or taken from one line of standard input where that \
    is no terminal. Only the first line of a file, of a command's output or of standard input counts, without its \
    newline.
    """

  static let create = """
    Makes the directory, random cover files in it, and a first space that the password opens. A new password is asked \
    for twice. \(password)

    EXAMPLES

      agonyfs create ~/Vault
      agonyfs create --password-file ~/.vault-password /mnt/disk/Vault
      agonyfs create --kdf sensitive --cover 20G ~/Vault

    The size of the vault says how much is in all its spaces and its cover together, at most. Cover is random and not \
    recorded anywhere; ask for more with --cover if a second space is going to be much larger than the first.
    """

  static let thumbnails = """
    Shows how many thumbnails are made, and returns when none is to be made any more. They are made by themselves soon \
    after a photo or video was written; nothing else waits for them.

    In every album, .sh_thumbnails holds them where file managers look (freedesktop's shared thumbnails), and \
    MOUNTPOINT/.agonyfs/thumbnails/256 and /1024 hold all of them as JPEGs, under the paths of their photos. Neither is \
    listed.
    """

  static let mount = """
    Returns once the mount answers; the program goes on in the background until the mount is taken away with agonyfs \
    unmount, umount or fusermount3 -u, or until SIGTERM, and everything is written by then. Where there is no vault \
    yet it asks whether to make one. \(password)

    With --remember this machine keeps how far the space has come, in a file of 72 bytes that only the password can \
    read, under $XDG_STATE_HOME/agonyfs or ~/.local/state/agonyfs (root: /var/lib/agonyfs). When a mount with \
    --remember meets an older state, as after somebody put an older vault back, it says so and is read-only, until \
    --accept-older goes on from there. It is off by default, since the file shows that agonyfs is used here.

    EXAMPLES

      agonyfs mount ~/Vault ~/Albums
      agonyfs mount --password-command 'pass show vault' ~/Vault ~/Albums
      agonyfs mount -o ro,noexec --idle 15m ~/Vault ~/Albums
      mount -t fuse.agonyfs /home/me/Vault /home/me/Albums -o passfile=/root/pw

    In /etc/fstab, with agonyfs in /usr/local/bin:

      /home/me/Vault /home/me/Albums fuse.agonyfs noauto,passfile=/root/pw 0 0

    MOUNT OPTIONS (-o)

      ro rw exec noexec sync dirsync   as in mount(8)
      suid nosuid dev nodev            nosuid and nodev unless said otherwise
      allow_other      all users may use the mount, as file modes allow; needs
                       user_allow_other in /etc/fuse.conf unless root mounts
      allow_root       root may use it too; needs the same
      nonempty         the mount point may hold files, which the mount hides
      passfile=FILE    the password is the first line of FILE
      idle=TIME        as --idle
      remember         as --remember
      nothumbs         no thumbnails are made or shown
      thumbnails=MODE  as --thumbnails
      decoder-sandbox=WHEN  as --decoder-sandbox
      fsname=NAME      the table of mounts shows NAME, not the vault's path

    Options that begin with x- are for other programs and are let pass. A vault that cannot be written is mounted \
    read-only. Times of access are not kept.
    """

  static let unmount = """
    Waits until everything is written and the program in the background has ended. A mount that is in use is not taken away.
    """

  static let spaceAdd = """
    The new space is empty and knows nothing of the others. A password that opens a space already is refused with \
    status 13. \(password)
    """

  static let spaceRemove = """
    Deletes the space that the password opens, with everything in it, and no file of any other space. It cannot be \
    undone; copies of the vault keep the space. \(password)
    """

  static let passwordChange = """
    The space keeps all its files; nothing is encrypted again. Should the machine fail in the middle, the old or the \
    new password works. Copies of the vault made before still open with the old password. On standard input the old \
    password is the first line and the new one the second. \(password)
    """

  static let check = """
    Verifies the log, the pages of the index, the index itself, and that every file's data is there; with --read-data \
    every byte as well. Damaged files are named by path, and the status is 16 when there are any. Nothing is changed \
    without --repair. Spaces that the password does not open cannot be seen, so they are not checked.

    With --repair it reads every byte, shows what it would do, and asks; --yes agrees beforehand. Without either of them, \
    and with --json without --yes, nothing is changed. What is healthy is not touched; of damaged files all that can be \
    read stays, and what cannot becomes a hole, each named with its bytes; what has no name comes to lost+found. An \
    index that cannot be read is made anew from what can be read of it. Where the space was continued in two places that \
    is said, and neither is touched. The status is 0 when nothing is wrong any more and nothing was lost, else 16. Copy \
    the vault first if there is room. \(password)
    """

  static let info = """
    Shows the public parameters of the vault and the figures of the space that the password opens. \(password)
    """

  static let speed = """
    Measures for a second or two. `create` uses the faster cipher unless --cipher says otherwise.
    """
}
