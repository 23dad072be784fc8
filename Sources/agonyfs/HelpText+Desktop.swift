extension HelpText {
  static let open = """
    What the desktop's menu starts: asks in a window for the password of a space, mounts it in a directory of its own \
    ($XDG_RUNTIME_DIR/agonyfs, where no indexer looks), which goes with the mount, and shows it in the file manager. \
    Without a vault it asks for one as well. Where there is nothing at the path of the vault it offers to make one, with a \
    new password that is typed twice. What goes wrong is shown in a window. Windows are those of zenity, kdialog or \
    pinentry, whichever is installed first in this order.

    It remembers nothing. With --save it makes a file that says where the vault is; a click on that file asks for the \
    password only. Who finds the file knows the place of the vault.

    EXAMPLES

      agonyfs open
      agonyfs open ~/Vault
      agonyfs open --save ~/Desktop/Albums.agonyfs ~/Vault
      agonyfs unmount --all
    """
}
