/// The longer texts of `--help`.
enum HelpText {
  static let root = """
    A vault is a directory of equal-sized files that look like random bytes. Each password opens one space in it and \
    mounts that space as a file system: directories are albums, files are photos and videos. Nobody who holds the \
    vault can tell how many spaces it has.

    EXAMPLES

      agonyfs create ~/Vault              a vault with its first space
      mkdir ~/Albums
      agonyfs mount ~/Vault ~/Albums      asks for the password
      cp -a ~/Pictures/. ~/Albums/
      agonyfs unmount ~/Albums
      agonyfs space add ~/Vault           another space with its own password, or cover of nobody

    EXIT STATUSES

    \(exitStatuses)

    WHAT IS NOT PROMISED

    - Somebody who sees the vault several times, or reads the host's change times and journal, learns that it changed \
    and roughly how much: cover does not change by itself.
    - Far more files than cover explains are suspicious. A new vault gets cover of 256 MiB to 4 GiB, a drawn size, or \
    as much as create --cover says, and a random number of files more: half of all vaults 8 or more.
    - A space added with --cover 0 shows: without other cover, U files that no password explains are evidence by a \
    ratio of about U/32. 400 files (1.6 GB) make an even suspicion one of 93 %, 10 GB one of 99 %.
    - Before a disk or a copy leaves your hands, unmount everything and run agonyfs refresh. A backup that was filled \
    more than once needs rsync -a --delete-after before: what piled up in it tells by its number, also after a refresh.
    - A new password does not revoke older copies of the vault: they still open with the old one.
    - The vault alone does not reveal that somebody put back a whole older copy of it; mount --remember detects that \
    on this machine.
    - Programs may keep thumbnails and lists of recent files of a mounted space outside the vault; agonyfs doctor \
    removes what can be removed.

    Nobody can recover a forgotten password.
    """

  /// One line for each exit status.
  static let exitStatuses = CommandStatus.allCases.map { status in
    let number = String(status.rawValue)
    return "  " + String(repeating: " ", count: 2 - number.count) + number + "  " + status.explanation
  }.joined(separator: "\n")

  static let password = """
    Without a password option agonyfs asks at the terminal, or reads one line of standard input if that is not a \
    terminal. Of a file or a command's output it takes the first line, without its newline.
    """

  static let create = """
    Creates the directory, random cover files and a first space. At a terminal it asks for the new password twice, and \
    shows how far it is. If it is interrupted, it leaves nothing; what a crash left of it, the next create at the same \
    path takes away. \(password)

    EXAMPLES

      agonyfs create ~/Vault
      agonyfs create --password-file ~/.vault-password /mnt/disk/Vault
      agonyfs create --kdf sensitive --cover 20G ~/Vault

    Every vault gets cover: files of random bytes that the password of the first space does not explain. They belong to \
    nobody, or to a second space, which can store as much as --cover says and never changes their number. Nothing tells \
    which. So a terminal asks for "password of another space, or nothing", whose answer is not shown and leaves no word in \
    the shell's history; --hidden and the options for its password are for scripts. --cover 20G adds a quarter more than 20 GiB, and some 200 MiB, for what \
    such a space needs beside its data. Without --cover the size of these files is drawn, from 256 MiB to 4 GiB but at \
    most a twentieth of the free room. In any case a random number is added, which nobody owns: at least 4, half of all \
    vaults get 8 or more, one in a hundred 400 or more. With --cover 0 only those are left, so that a second space of \
    more than a few photos shows. At the end it says how much a hidden space with that cover can store, in the same \
    words whether there is one or not. If the password of a hidden space is lost, its room is never regained.
    """

  static let thumbnails = """
    Shows the progress and returns when all thumbnails are made, or at once if the mount makes them on demand. A mount \
    makes them automatically, soon after a photo or video was written; nothing else waits for them.

    File managers find them in .sh_thumbnails of every album (freedesktop's shared thumbnails). \
    MOUNTPOINT/.agonyfs/thumbnails/256 and /1024 have them as JPEGs, under the paths of their photos. Listings show \
    neither directory.
    """

  static let mount = """
    Returns when the mount is ready. A background process serves it until agonyfs unmount, umount, fusermount3 -u or \
    SIGTERM ends it; each of them writes everything first. If there is no vault, it offers to create one. If the space \
    is mounted elsewhere, it ends with status 15 and says where. \(password)

    With --remember this machine records the newest state of the space that it has seen, in a file of 72 bytes that \
    only the password can read: under $XDG_STATE_HOME/agonyfs or ~/.local/state/agonyfs (root without the variable: \
    /var/lib/agonyfs). If a later mount with --remember finds an older state, for example because somebody put an \
    older vault back, it says so and mounts read-only; --accept-older continues from that state. Recording is off by \
    default, because the file shows that agonyfs is used here.

    If password add has enrolled a key on this machine for the vault, mount at a terminal uses it when no option says \
    where a password comes from; --ask asks all the same. If the key is not there or opens nothing, one sentence says \
    why, and the password is asked for. Without a terminal only --enrolled uses it, and then fails if it does not work.

    If files lie in the mount point, a program has saved them while nothing was mounted, and they are not encrypted. At a \
    terminal mount asks whether to import them; elsewhere it names the commands that do it.

    EXAMPLES

      agonyfs mount ~/Vault ~/Albums
      agonyfs mount --password-command 'pass show vault' ~/Vault ~/Albums
      agonyfs mount -o ro,noexec --idle 15m ~/Vault ~/Albums
      mount -t fuse.agonyfs /home/me/Vault /home/me/Albums -o passfile=/root/pw

    In /etc/fstab:

      /home/me/Vault /home/me/Albums fuse.agonyfs noauto,passfile=/root/pw 0 0

    MOUNT OPTIONS (-o)

      ro rw exec noexec sync dirsync   as in mount(8)
      suid nosuid dev nodev            default: nosuid and nodev
      allow_other      all users may use the mount, as file modes allow; needs
                       user_allow_other in /etc/fuse.conf unless root mounts
      allow_root       root may use it too; needs the same
      nonempty         the mount point may hold files; the mount hides them
      passfile=FILE    the password is the first line of FILE
      idle=TIME        as --idle; 0s is never
      places=FILE      as --places
      remember         as --remember
      tidy             as --tidy
      nothumbs         as --thumbnails none
      thumbnails=MODE  as --thumbnails
      decoder-sandbox=WHEN  as --decoder-sandbox
      decoders=NUMBER  as --decoders
      fsname=NAME      the table of mounts shows NAME, not the vault's path
      subtype=NAME     its type is fuse.NAME, not fuse.agonyfs

    Options that begin with x- are for other programs; agonyfs ignores them. A vault that cannot be written is mounted \
    read-only. Access times are not kept.
    """

  static let unmount = """
    Returns when everything is written and the background process has ended. Refuses to unmount a mount that is in use.

    With --lazy the mount leaves its place and the command returns at once. Open files go on working, and the space stays \
    open until the last one is closed.

    With --force a mount in use goes at once, as with agonyfs lock. What programs have written is kept: all of it is on \
    the disk when the command returns. What they hold in their own memory, such as a picture that is not saved yet, is \
    not: their next read or write of the mount fails, and a program that maps a file into its memory may crash. Save it \
    elsewhere then.

    What leaves your hands must be copied with nothing mounted: a file that is being written shows by its length.

    With --all it unmounts all spaces that you mounted; it succeeds if there are none.

    With --all or --force nothing of the vault's files stays in the kernel's memory, where anybody who may read them sees \
    until the next start of the machine which were used. Without them they stay, so that the next mount is fast.

    What was deleted takes room on the disk for 24 hours more, or as long as mount --copy-window says, so that a copy of \
    the vault that is being made finds all that it needs; new files of the mount get that room when the disk is full. \
    With --give-back it is given back at the end, but for what lies between files that stay. Use it when nothing copies \
    the vault.

    At a terminal it reminds of agonyfs refresh and rsync --delete-after, in the same words for every space.
    """

  static let lock = """
    Takes away all your mounts at once, and ends the processes that hold their keys: what agonyfs unmount --all --force \
    does, in one word for a key of the keyboard. What programs have written is kept: all of it is on the disk when the \
    command returns. What they hold in their own memory is not, and their next read or write of a mount fails. Private \
    sessions of agonyfs run lose theirs as well. Nothing of the files of these spaces stays in the kernel's memory; what \
    an earlier agonyfs unmount without --all or --force left there does.

    It succeeds if there is nothing to lock. What could not be locked is named, and the rest is locked all the same. What \
    a full or failing disk did not take is in the system log. \
    agonyfs guard does the same when the machine sleeps or you leave it.
    """

  static let `guard` = """
    Runs until it is ended, and does what agonyfs lock does. The package has it as a service: systemctl --user enable \
    --now agonyfs-guard (the article Locking.md says more). It acts when

      sleep      before the machine is suspended or hibernates
      shutdown   before it is switched off or restarted
      lock       when a session of yours, or its screen, is locked
      logout     when your graphical session ends, or your last session
      --at-exit  when this program gets SIGTERM, SIGINT or SIGHUP

    Logind waits for it before the machine sleeps or goes off, but by default for 5 seconds at most; where writing takes \
    longer, raise InhibitDelayMaxSec in logind.conf. Without logind it ends with status 1. If logind or the bus ends \
    later, it says so and begins again when they are back. It needs no password, and holds no key.

    EXAMPLES

      agonyfs guard
      agonyfs guard --on sleep,lock
      agonyfs guard --at-exit --on sleep,shutdown,logout
    """

  static let spaceAdd = """
    The new space is empty and independent of all others. A password that already opens a space is refused with status \
    13. \(password)

    At a terminal it asks for the password of a space that hands over cover, or nothing, and for the new password, or \
    nothing, so that the command line is the same whatever is done: with the first one it is --within; without the new one \
    the cover belongs to nobody, as after cover add, or after space shrink. --within and the options for passwords are for \
    scripts. With --cover 0 it asks for the new password only.

    With --cover the space owns as many files as it needs to store so much, and their number never changes, whatever it \
    stores; cover add makes a vault look the same. Who looked at the vault before sees that files were added. With --cover \
    0 it takes room as it grows, and its files show by their number that there is another space: in a vault without \
    other cover, 400 files (1.6 GB) make an even suspicion one of 93 %, 10 GB one of 99 %. Copy with nothing mounted \
    what leaves your hands: a file that is being written shows by its length.

    With --within the space takes the place of cover that another space owns and never used, and no number of files \
    changes. That space can then store less: by SIZE, a quarter more, and some 200 MiB. Who knows its password sees what \
    space shrink leaves, and not whether there is another space. If that is interrupted, complete it with space shrink \
    0, and begin again. \(overwritten)

    EXAMPLES

      agonyfs space add --cover 20G ~/Vault
    """

  static let spaceGrow = """
    At least SIZE is added to what the space can store. Only a space that owns cover needs this: one that was made with \
    create with a second password or by space add. The shell's history shows that there is one; with the settings of most \
    systems bash keeps no line that begins with a space. Who looked at the vault before sees that files were added, as many as cover \
    add makes, and that one or two others went, as after any use of the space. \(password)
    """

  static let spaceShrink = """
    The space gives up as many files of its cover as a space that can store SIZE owns: what it can store falls by SIZE, a \
    quarter more, and some 200 MiB. The number of files stays: random files, which belong to nobody, take their place, \
    and nothing gives them back. Only cover that was never used can be given up, and is used up once as much was written \
    as the space can store. What stated more in the space's own files is overwritten. Copies of the vault, flash disks \
    and file systems that write copies may keep it. \(overwritten)

    space add --within looks the same, to those with the space's password too. If it is interrupted, complete it with \
    SIZE 0. \(password)
    """

  static let coverAdd = """
    The files are random bytes that no password explains and nobody owns. It needs no password, and looks as if a space \
    with cover for as much had been added. They can never be told from those of a space, so nothing removes them again.
    """

  static let spaceRemove = """
    Deletes the space that the password opens, with everything in it; other spaces stay as they are. It cannot be \
    undone. If there is anything in it, or another password opens it, it asks first; where nobody can be asked it needs \
    --yes. Files with keys and lists are overwritten in place before they are deleted, with --wipe all files of the \
    space. Flash disks, file systems that write copies (btrfs, ZFS, bcachefs), snapshots and copies of the vault may \
    keep the old bytes all the same, and whoever finds those opens them with the password. \(overwritten) \(password)
    """

  /// What a copy of files that were overwritten in place needs.
  private static let overwritten = """
    What was overwritten keeps its name, size and time: bring backups up to date with rsync --checksum --delete-after \
    once, or copy to an empty directory.
    """

  static let passwordChange = """
    The space keeps all its files. Without --rekey nothing is encrypted again. After a crash in the middle, the old \
    password works or the new one. \(oldPassword)

    With --rekey everything in the space is encrypted again with a new key, so no old slot opens what is written from \
    now on, and no other password or key of the space works any more: add those again with agonyfs password add. If there \
    are any, it asks first; where nobody can be asked it needs --yes. It takes as \
    long as copying the space, and little more room than it has. If it is interrupted, try the new password first; the \
    same command ends what was begun. Until then the space can be mounted, and part of it stays under the old key. \
    Copies of the vault that are under way meanwhile have to be made again. Copy it with rsync --checksum the next time, \
    or to an empty directory: a password that was used before has slot files of the same name, size and time, and other \
    content.

    On standard input the old password is the first line and the new one the second. \
    \(password)
    """

  static let passwordAdd = """
    Both passwords open the same space from then on. On standard input the one that opens it is the first line and the \
    new one the second. \(password)

    With --keyring, --fido2 or --tpm the space gets a key instead of a new password, which mount at a terminal then uses \
    without asking; agonyfs help mount says when. The vault shows it as little as any other password. What opens a space \
    without typing can be used by somebody who forces you to: enrol the space that you would show, and keep its password. \
    One space of a vault is enrolled on a machine: enrolling replaces what was, after asking. --also keeps other methods.

    --keyring: the key is in the keyring of your session, and opens the space as long as that is unlocked, for every \
    program of the session. Its item is called "Key" and is found by a random number; neither names agonyfs or a vault.

    --fido2: a token computes the key when it is touched; one that has a PIN or reads fingers asks for that as well. Of \
    several tokens only the one that has the key is asked. By default the record on this machine has a handle without \
    which the token computes nothing, and the token keeps nothing. With --resident the token keeps the credential, and its \
    list of credentials shows "agonyfs" to whoever has its PIN; the record has no handle, only what else the key is \
    computed from.

    --tpm: the TPM of this machine seals the key; the disk in another machine opens nothing. Whoever can use your account \
    opens the space, unless --pin asks for a PIN each time: the TPM blocks those who guess. It is bound to no PCR, so \
    updates of firmware and kernel do not lock you out, and another system started on this machine can use it too.

    This machine keeps a record, unlock-IDENTIFIER-METHOD under $XDG_STATE_HOME/agonyfs or ~/.local/state/agonyfs. It \
    shows that a vault with this identifier (it is in agonyfs.json) was opened here, and by what; not which space. With \
    the space's password agonyfs info tells how many passwords and keys it has. After password change --rekey the key \
    opens nothing: enrol it again.
    """

  static let passwordRemove = """
    Removes the password that is given, if another one opens the space. \(oldPassword) \(password)

    With --keyring, --fido2 or --tpm it removes the key that password add has enrolled on this machine: in the vault, where \
    the key is, and the record. If the key is lost, --forget removes only what is on this machine: first make sure that a \
    password opens the space. The slot in the vault then opens with a copy of the key, if there is one, until the space \
    gets a new key with password change --rekey. A token keeps what it has until its own tools delete it.
    """

  static let passwordList = """
    A line for each: the identifier of the vault, as agonyfs.json has it, and what holds the key. It opens nothing.
    """

  /// What `password change` and `password remove` leave.
  private static let oldPassword = """
    The slot of the old password is overwritten in place before it is deleted. Flash disks, file systems that write \
    copies, snapshots and copies of the vault may keep it all the same: put back, it opens everything that was and is \
    written to the space, unless the space gets a new key, with password change --rekey.
    """

  static let derivationAdd = """
    Adds the next stronger key derivation to agonyfs.json, after measuring it on this machine. Needs no password and \
    says nothing about any space. A password that is set from now on goes through the strongest one; the others open as \
    before, until they are changed: one that only hidden passwords use tells that there are some, so change the password that \
    you would show as well. Each attempt at a password goes through all of them, so mounting takes longer.

    Key derivations below 64 MiB or 2 passes are not used: anybody who can write agonyfs.json can add one. \
    --weak-derivations uses them for passwords that exist, never for new ones.
    """

  static let check = """
    Verifies the log, the index, and that the data of every file is there; with --read-data also every byte of it. \
    Lists damaged files by path and ends with status 16 if there are any. Changes nothing without --repair. It cannot \
    see, and so does not check, spaces that the password does not open. It says which state it found: its number, which \
    grows with every commit, and when something was changed last. If that is older than you know it to be, files of the \
    newest state are lost.

    With --password-file given more than once it checks each space, and says how many files all these passwords \
    together leave unexplained. Every vault has some that nobody owns.

    With --repair it reads every byte, shows what it would do, and asks; --yes answers in advance. If nobody can be \
    asked, and with --json, it changes nothing without --yes. Healthy files are not touched. In damaged files \
    everything readable stays and the rest becomes a hole; each hole is listed with its bytes. Files without a name \
    move to lost+found. An unreadable index is rebuilt from its readable parts. If the space was continued in two \
    places, it says so and leaves the other state alone. The status is 0 if nothing is wrong any more and nothing was \
    lost, otherwise 16. Copy the vault first if there is room. \(password)
    """

  static let refresh = """
    Needs no password. Writes every file again under its name, with the same bytes, and makes every folder new, in \
    random order: what the host's file system shows of a file or folder (when and in what order it was made, where it \
    lies, which names a folder had before) says no more what was written in which order. All times become the constant \
    one, all files get the owner of segments and the mode of agonyfs.json, all folders those of segments, and access lists \
    go. Afterwards every space opens as before. Do it before the disk or a copy leaves your hands, and on a backup \
    that was filled more than once. The number of files stays: what piled up in a backup shows until it was filled once \
    by rsync -a --delete-after. Do that first, or copy to an empty directory. The article BeforeLending.md has all steps \
    on one page.

    It refuses, and changes nothing, while files are shorter than the others. If the vault is a copy that was \
    interrupted, copy once more. If a crash left them, mount the space that was in use, or give --complete, which \
    completes them all, or deletes those that hold nothing. In a copy that was interrupted that hides what is missing.

    Nothing may be mounted, also while you copy what leaves your hands: a file that is being written shows by its \
    length. Needs free room for one file. Whatever ends it, all files are whole: the vault can be used, and the next \
    refresh begins again. Ends with status 15 if the \
    vault is in use, 17 without room. What it cannot renew: the journal of the host's file system, free blocks, \
    snapshots, what a flash disk keeps of deleted data, and what the file system counts, such as how much was ever \
    written to it: on a disk that is used for little else that tells how often the vault was used. Then copy the vault \
    by rsync to a newly made file system, and refresh it there.

    Files keep their names. Whoever has a list of them from before (the database of locate, an index of the desktop, the \
    catalogue of a backup) sees which came and went since: keep the vault out of such lists. agonyfs doctor says which of \
    this machine cover the vault of a mount, and how to exclude it.
    """

  static let info = """
    Shows the public parameters of the vault and figures of the space that the password opens. If you have it mounted, the \
    mount writes first what was done in it, so that the figures are those of now. \(password)
    """

  static let speed = """
    Takes a few seconds. A new space uses the faster cipher unless --cipher says otherwise.
    """
}
