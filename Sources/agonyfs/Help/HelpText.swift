/// The longer texts of `--help`.
enum HelpText {
  static let root = """
    A vault is a directory of files of equal size that look random. Each password opens one space in it, and mounts \
    that space as a directory of photos and videos. The vault does not show how many spaces it has.

    Start with agonyfs create ~/Vault and agonyfs mount ~/Vault ~/Albums. Before you rely on it, read agonyfs help \
    limits. Other pages: agonyfs help queries, fields, mount-options, statuses. The package has the articles (*.md) in \
    /usr/share/doc/agonyfs/articles.
    """

  /// One line for each exit status.
  static let exitStatuses = CommandStatus.allCases.map { status in
    let number = String(status.rawValue)
    return "  " + String(repeating: " ", count: 2 - number.count) + number + "  " + status.explanation
  }.joined(separator: "\n")

  static let password = """
    The terminal asks for the password. If standard input is not a terminal, its first line is the password.
    """

  static let create = """
    Create a vault and a first space. The terminal asks twice for its new password, and then for the password of \
    another space: press Enter if you want none. The path must be new, or an empty directory.

    EXAMPLES

      agonyfs create ~/Vault
      agonyfs create --cover 20G --kdf sensitive ~/Vault
      agonyfs create --password-file ~/.vault-password /mnt/disk/Vault

    Every vault gets cover: files of random bytes that the first password does not explain. A second space lives in \
    this cover and never changes the number of files, so the vault does not show whether there is one. With --cover \
    20G a second space can store 20 GiB; with --cover 0 it shows once it has more than a few photos. A lost password cannot be \
    recovered, and if it was that of the second space, its room is lost too. See the article Guide.md.
    """

  static let mount = """
    Mount a space at an empty directory. The command returns when the mount is ready; a background process serves it \
    until you run agonyfs unmount. If the vault does not exist, the terminal offers to create it. If you have mounted \
    the space already, the command ends with status 15 and says where.

    EXAMPLES

      agonyfs mount ~/Vault ~/Albums
      agonyfs mount -o ro --idle 15m ~/Vault ~/Albums
      agonyfs mount --password-command 'pass show vault' ~/Vault ~/Albums

    \(password) If password add has enrolled a key on this machine, mount at a terminal uses that, and asks for the \
    password only if the key fails. See the articles Spaces.md, QuickUnlock.md and MountingAtBoot.md.
    """

  static let unmount = """
    Unmount spaces. The command returns when everything is written and the process that held the keys has ended. A \
    mount that is in use stays mounted, unless you give --lazy or --force.

    EXAMPLES

      agonyfs unmount ~/Albums
      agonyfs unmount --all
      agonyfs unmount --force ~/Albums

    Unmount everything before you copy the vault for someone else: a file that is being written shows by its length. \
    At a terminal the command says how to give a copy to another person.

    With --lazy the command returns at once, and the space stays open until programs have closed its files. With \
    --force everything that programs have written is on the disk when the command returns, and their next read or \
    write fails. A picture that a program has not saved yet must be saved elsewhere, and a program that maps a file \
    may crash.

    With --all or --force the kernel forgets which files of the vault were used. A plain unmount leaves them in memory \
    until the machine is restarted, so that the next mount is fast.

    Deleted data occupies the disk for 24 hours, or as long as mount --copy-window says, so that a copy that is being \
    made stays complete; new files get that room when the disk is full. If nothing copies the vault, --give-back frees \
    that room, except small parts between files that stay.
    """

  static let lock = """
    Unmount all your spaces at once, also those in use, and end the processes that hold their keys. Bind this command \
    to a key. Everything that programs have written is on the disk when it returns; their next read or write fails, \
    and an unsaved picture must be saved elsewhere. The sessions of agonyfs run lose their spaces, too. \
    agonyfs serve goes on, and a password that its page gets mounts a space again, until you end it.

    The kernel forgets which files of these spaces were used, but not those of an earlier plain agonyfs unmount. A \
    space that cannot be locked is named, and all others are locked. If the disk is full or fails, data may be lost, \
    and the system log says so. The command succeeds if nothing is mounted. To lock when the machine sleeps or you \
    leave it, use agonyfs guard.
    """

  static let `guard` = """
    Run agonyfs lock whenever the machine sleeps or you leave it. The package has a service for this:

      systemctl --user enable --now agonyfs-guard

    The command itself runs until you end it, and needs no password. It locks when

      sleep      the machine is about to be suspended or hibernated
      shutdown   it is about to be switched off or restarted
      lock       a session of yours, or its screen, is locked
      logout     your graphical session ends, or your last session
      --at-exit  the command gets SIGTERM, SIGINT or SIGHUP

    EXAMPLES

      agonyfs guard
      agonyfs guard --on sleep,lock
      agonyfs guard --at-exit --on sleep,shutdown,logout

    Logind delays sleep until everything is locked, but by default for 5 seconds at most. If your disk needs longer, \
    raise InhibitDelayMaxSec in logind.conf. Without logind the command ends with status 1; if logind or the bus \
    restarts, it says so and continues. See the article Locking.md.
    """

  static let open = """
    Ask for a password in a window, mount the space, and show it in the file manager. The desktop's menu entry runs \
    this. If you name no vault, a window asks for it, too; if the path does not exist, a window offers to create a \
    vault. Errors are shown in a window.

    EXAMPLES

      agonyfs open
      agonyfs open ~/Vault
      agonyfs open --save ~/Desktop/Albums.agonyfs ~/Vault
      agonyfs unmount --all

    The space is mounted in $XDG_RUNTIME_DIR/agonyfs, where indexers do not look. --save writes a file with the path \
    of the vault; a click on that file asks only for the password. Without --save nothing is remembered. The windows \
    are those of zenity, kdialog or pinentry, whichever is installed first in this order.
    """

  static let run = """
    Run a program, or your shell, in a private session that leaves nothing on this machine. The program starts in the \
    space, which only this session sees. What it saves elsewhere in your home, in /tmp, /var/tmp, /dev/shm or the \
    runtime directory goes to memory and vanishes at the end; all other places are read-only. Changes to the space, to \
    the directories of --keep and to the vault stay.

    EXAMPLES

      agonyfs run ~/Vault
      agonyfs run ~/Vault gthumb
      agonyfs run --keep ~/Print ~/Vault gimp 2019/IMG_1234.jpg
      agonyfs run --read-only --at ~/Photos ~/Vault -- eog .

    Close a program before you run it here: one that is open already may show the photo outside the session. A program \
    that goes to the background ends the session at once: start it from a shell. Printers, the clipboard and the \
    network keep what they get. Containers often allow no private sessions; then the command says so, and only asks \
    programs to keep their files in the space. The status is the program's, or 125 if agonyfs failed. See the article \
    PrivateSessions.md.
    """
}
