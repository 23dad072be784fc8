extension HelpText {
  static let doctor = """
    Looks for what programs left of a mounted space in your home, its caches and the folders for temporary files: \
    thumbnails, lists of recent files, copies in the trash, indexes, histories, sessions. It looks for paths and URIs of \
    the mount points that you name, whether something is mounted there now or not; without one, of all spaces that you \
    have mounted now. In histories it looks for the vaults of mounted spaces as well. Paths that a program kept relative to another folder are not found. \
    It also lists what lies in these mount points while nothing is mounted there; without a name, in those of \
    /etc/fstab and of agonyfs open.

    It shows what it found by program, with what that tells, and asks before it removes what nobody misses: thumbnails \
    and entries of lists of recent files. What was moved to the trash of your home may be the only copy: it is deleted \
    only after a yes for each file, or with --trash. All else is only shown, with what you can do. Deleting is not \
    erasing: until the disk is overwritten, programs can find deleted files there; encrypt the disk of your home.

    Then it says what in the system may leak: swap space that is not encrypted, hibernation, core dumps, locate \
    and indexers, also those that list the vault's own files, user_allow_other, a kernel without Landlock, a low limit of locked memory. That does not change the exit \
    status.

    The status is 0 if nothing was found or everything was removed, 19 if something stays or could not be searched, 1 \
    if removing failed. Only your own files are looked at; no symbolic link is followed in your home.

    With --json each finding is one line; nothing is asked, and nothing removed without --yes. agonyfs mount --tidy runs \
    agonyfs doctor --yes --quiet when the mount ends.

    EXAMPLES

      agonyfs doctor ~/Albums
      agonyfs doctor --dry-run --json
      agonyfs doctor --yes --trash ~/Albums
    """
}
