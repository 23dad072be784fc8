/// The help of the commands for spaces and passwords.
extension HelpText {
  static let spaceAdd = """
    Add an empty space that a new password opens. The terminal asks how much the space should store, then for the \
    password of a space that hands over cover (press Enter if none does), and for the new password. A password that \
    already opens a space is refused with status 13.

    EXAMPLES

      agonyfs space add ~/Vault
      agonyfs space add --cover 20G ~/Vault

    With --cover 20G the space owns enough files to store 20 GiB, and their number never changes. A person who saw the \
    vault before can see that files were added, as after cover add; if you leave the new password empty, the files \
    belong to no space. If another space hands over cover, the number of files stays the same, and that space can \
    store less: by SIZE, a quarter of SIZE, and about 200 MiB. Then update backups as after space shrink.

    With --cover 0 the space takes room as it grows, and its number of files shows: in a vault without other cover, \
    400 files (1.6 GB) raise a suspicion of 50 % to 93 %, 10 GB to 99 %. See the article Spaces.md.
    """

  static let spaceGrow = """
    Let a space that owns cover store at least SIZE more. The second space of create, and spaces that space add makes \
    with cover, own some; others grow by themselves. A person who saw the vault before can see that files were \
    added, the same number as cover add makes, and that one or two others are gone, as after any use of the space. \
    \(password)

    Your shell's history keeps this command, which shows that the space exists. With the settings of most systems, \
    bash does not keep a line that begins with a blank.
    """

  static let spaceShrink = """
    Take cover that was never used from a space that owns cover. It can then store less: by SIZE, a quarter of SIZE, \
    and about 200 MiB. Random files that belong to no space replace this cover, so the number of files stays the same, \
    and the disk does not get the room back. A space that was once full cannot give any cover. If the command is \
    interrupted, run it again with SIZE 0. \(password)

    The vault then looks as after space add --within, also to a person who knows this space's password. Older records \
    that state a larger size are overwritten; copies of the vault, flash disks and file systems that write copies may \
    keep them. \(overwritten)
    """

  static let coverAdd = """
    Add files of random bytes that belong to no space: the same number as space add --cover SIZE adds. The command \
    needs no password, and the vault does not show which of the two commands added them. They can never be removed, \
    because nothing distinguishes them from the files of a space.
    """

  static let spaceRemove = """
    Delete the space that the password opens, with everything in it. Other spaces stay as they are. You cannot undo \
    this. If the space holds anything, or another password opens it, the terminal asks first; without a terminal give \
    --yes. \(password)

    Files with keys and lists are overwritten before they are deleted; with --wipe all files of the space. Flash \
    disks, file systems that write copies (btrfs, ZFS, bcachefs), snapshots and copies of the vault may keep the old \
    bytes, and the password still opens those. \(overwritten)
    """

  /// The limit on how long a copy of the vault may take, because files are overwritten in place.
  private static let overwritten = """
    Overwritten files keep their name, size and time: update backups once with rsync --checksum --delete-after, or \
    copy to an empty directory.
    """

  static let passwordChange = """
    Replace the password of a space. The terminal asks for the old one and for the new one; on standard input they are \
    the first and the second line. Nothing is encrypted again. After a crash either the old password works or the new \
    one.

    EXAMPLES

      agonyfs password change ~/Vault
      agonyfs password change --rekey ~/Vault

    If another person knew the old password, give --rekey: it encrypts the whole space with a new key. This takes as \
    long as copying the space, and little more room than the space has. All other passwords and keys of the space stop \
    working; add them again. If the command is interrupted, run it again, with the new password if that works. Copies \
    of the vault that were being made must be made again; make the next one with rsync --checksum, or to an empty \
    directory.

    \(oldPassword) See the article Spaces.md.
    """

  static let passwordAdd = """
    Add a password, or a key that opens the space without typing. The terminal asks for a password that opens the \
    space, and for the new one; on standard input they are the first and the second line.

    EXAMPLES

      agonyfs password add ~/Vault
      agonyfs password add --keyring ~/Vault
      agonyfs password add --tpm --pin ~/Vault

    mount at a terminal then uses the key without asking. Enrol only a space that you would show: a person who forces \
    you to open it needs no password. Keep the password, as a key can be lost, and enrol again after password change \
    --rekey. A record in ~/.local/state/agonyfs shows that this vault was opened here, but not which space. Only one \
    space of a vault is enrolled on a machine; another one replaces it. See the article QuickUnlock.md.
    """

  static let passwordRemove = """
    Remove the password that you type. Another one must open the space. \(password)

    EXAMPLES

      agonyfs password remove ~/Vault
      agonyfs password remove --keyring ~/Vault

    --keyring, --fido2 or --tpm remove the key that password add has enrolled on this machine, and its record. If the \
    key is lost, first make sure that a password opens the space, then remove the record alone with --forget. A copy \
    of the key still opens the space, until password change --rekey. A credential that a token keeps stays on it, \
    until you delete it with the token's own tools.

    \(oldPassword)
    """

  static let passwordList = """
    Print a line for each key: the identifier of its vault, which agonyfs.json shows, and what holds the key. No space \
    is opened.
    """

  /// What `password change` and `password remove` leave in the vault.
  private static let oldPassword = """
    The slot of the old password is overwritten and deleted. Flash disks, file systems that write copies, snapshots \
    and copies of the vault may keep it: put back, it opens everything in the space, also what is written later, \
    unless you give the space a new key with password change --rekey.
    """

  static let derivationAdd = """
    Add a stronger key derivation, so that each guess at a password costs more work. The command measures it on this \
    machine, and needs no password. Passwords that you set from now on use it; change the others to move them. \
    Mounting takes longer, as each password is tried with all derivations.

    EXAMPLES

      agonyfs kdf add ~/Vault
      agonyfs password change ~/Vault

    A derivation that none of your shown passwords uses shows that there are others, so change the passwords that you \
    would show as well. Derivations below 64 MiB or 2 passes are not used, as anybody who can write agonyfs.json can \
    add one; --weak-derivations uses them for passwords that exist, never for new ones.
    """
}
