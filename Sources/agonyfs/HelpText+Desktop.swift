extension HelpText {
  static let open = """
    What the desktop's menu starts: asks in a window for the password of a space, mounts it in a directory of its own \
    ($XDG_RUNTIME_DIR/agonyfs, where no indexer looks), which goes with the mount, and shows it in the file manager. Without a vault it asks for one \
    as well. What goes wrong is shown in a window. It never creates a vault. Windows are those of zenity, kdialog or \
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
