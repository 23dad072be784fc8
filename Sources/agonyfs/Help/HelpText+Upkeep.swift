/// The help of the commands for upkeep.
extension HelpText {
  static let check = """
    Verify a space: its log, its index, and that the data of every file is there. Damaged files are listed, and the \
    status is then 16. Nothing is changed without --repair. \(password)

    EXAMPLES

      agonyfs check ~/Vault
      agonyfs check --read-data ~/Vault
      agonyfs check --repair ~/Vault

    The command prints the number and the time of the newest state that it found. If you know a newer one, files of \
    the newer state are lost. If you give --password-file several times, it checks each space, and says how many files \
    remain unexplained; every vault has some that belong to no space.

    --repair reads every byte, shows what it would do, and asks. Without a terminal, and with --json, it changes \
    nothing unless you give --yes. Copy the vault first if there is room. What can be read of a damaged file stays, \
    and each hole is listed. Files without a name move to lost+found. The status is 0 if nothing is wrong any more and \
    nothing was lost, otherwise 16. See the article Spaces.md.
    """

  static let copy = """
    Copy a vault as it is stored: to a directory, to a bucket of an object store, back, or from bucket to bucket. It \
    needs no password, and spaces may be mounted if the copy takes less than 24 hours.

    EXAMPLES

      agonyfs copy ~/Vault /media/backup/Vault
      agonyfs copy --bandwidth 2M ~/Vault s3://my-bucket/vault
      agonyfs copy --verify ~/Vault s3://my-bucket/vault
      agonyfs copy s3://my-bucket/vault ~/Vault

    Only files whose content differs are copied. After an interruption, the same command continues; until all files \
    are there, a new copy does not open. Another vault is never overwritten, and copy deletes no file: the copy keeps \
    what the vault has deleted, which may show how it changed.

    Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from ~/.aws. See the article Copying.md.
    """

  static let sync = """
    Keep a copy of a vault in a bucket up to date. First everything that differs is sent, then files that the vault no \
    longer has are deleted there. Once the copy is complete, it opens at every moment, also after an interruption; the \
    same command continues. It needs no password, and spaces may be mounted.

    EXAMPLES

      agonyfs sync ~/Vault s3://my-bucket/vault
      agonyfs sync --watch ~/Vault s3://my-bucket/vault
      agonyfs sync --at 03:00 --rate 200M ~/Vault s3://my-bucket/vault

    A file synced in the vault says which states of buckets it includes. If the vault may be older than the bucket, \
    nothing is changed. --delete-newer makes the bucket like the vault nevertheless; states that only the bucket has \
    are lost.

    --watch and --at go on until a signal ends them, and wait while the network is down. The package has the service \
    agonyfs-sync@NAME for this. With --at and --rate each run sends about as much: when less is new, files are sent \
    again, and when more is new, the rest waits for the next run.

    Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from ~/.aws. See the article Copying.md.
    """

  static let refresh = """
    Rewrite every file and folder of a vault in random order, with the same names and bytes, so that its file system \
    no longer shows when, and in which order, they were made. Do this before you make a copy for another person, and \
    then to that copy. Give away the copy, not your disk; the article BeforeLending.md has all steps. The command \
    needs no password, and room for one more file.

    EXAMPLES

      agonyfs lock
      agonyfs refresh ~/Vault
      rsync -a ~/Vault/ /media/disk/Vault/
      agonyfs refresh /media/disk/Vault

    Mount nothing until the copy is gone: a file that is being written shows by its length. All spaces open as \
    before. If the command is interrupted, no file is damaged, and the next refresh begins again.

    If a file is shorter than the others, refresh changes nothing. If the vault is an interrupted copy, copy once \
    more. After a crash mount the space that was in use and write something there, or give --complete, which completes \
    short files or deletes empty ones. In an interrupted copy --complete hides what is missing.

    The number of files and their names stay. So copy to an empty directory: an old backup keeps files that the vault \
    has given up, unless rsync fills it with --delete-after. And keep the vault out of lists of names (locate, desktop \
    indexes, catalogues of backups), which show what came and went. agonyfs doctor finds such lists.

    The journal of the file system, free blocks, snapshots, its counters, and what a flash disk keeps of deleted data \
    stay too. On a disk for little but the vault the counters show how often it was used: copy the vault with rsync to \
    a new file system, and refresh it there.
    """

  static let info = """
    Print the public parameters of a vault, and figures of the space that the password opens. If you have mounted the \
    space, the mount first writes what was changed. If the file system under the vault lacks something, "host" says \
    what follows. \(password)
    """

  static let speed = """
    Measure ciphers and key derivations for a few seconds. A new space uses the faster cipher, unless --cipher names \
    one.
    """

  static let thumbnails = """
    Show the progress of thumbnails, and return when all are made and agonyfs list knows all photos. A mount makes \
    thumbnails by itself, soon after a photo is written; you need this command only to wait for them. If the mount \
    makes them on demand, it returns at once.

    EXAMPLES

      agonyfs thumbnails ~/Albums
      agonyfs thumbnails --failed ~/Albums

    File managers find thumbnails in .sh_thumbnails of every album. As JPEGs they are in .agonyfs/thumbnails/256 and \
    1024 of the mount, under the paths of their photos. Listings show neither directory. See the article \
    Thumbnails.md.
    """

  static let doctor = """
    Find traces of a space that programs kept outside the vault, and remove them: thumbnails, lists of recent files, \
    copies in the trash, indexes, histories. Without a mount point the command looks for all spaces that you have \
    mounted now. It searches your home, caches and temporary folders, and asks before it removes anything.

    EXAMPLES

      agonyfs doctor ~/Albums
      agonyfs doctor --dry-run --json
      agonyfs doctor --yes --trash ~/Albums

    It removes thumbnails and entries of lists of recent files. A photo in the trash of your home may be the only \
    copy: it is deleted only after a yes for each file, or with --trash. Everything else is shown with the steps that \
    you can take. Deleted files can be found until the disk is overwritten; encrypt the disk of your home. Paths \
    relative to another folder are not found.

    It also lists files in the mount point that were saved while nothing was mounted, and says which settings of the \
    system may leak: unencrypted swap space, hibernation, core dumps, locate, indexers, user_allow_other, a kernel \
    without Landlock, a low limit of locked memory. These do not change the status.

    The status is 0 if nothing is left, 19 if something stays or could not be searched, and 1 if removing failed. \
    Without a terminal, and with --json, nothing is removed without --yes. See the article LeavingNoTraces.md.
    """
}
