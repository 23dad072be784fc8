extension HelpText {
  static let run = """
    Runs a program, or without one your shell, in a private session: it starts in the space, which is mounted at ~/Albums \
    or where --at says, and nobody outside the session sees the mount. Home looks as always, but what is saved there \
    goes to memory and vanishes with the session, and so does what is in /tmp, /var/tmp, /dev/shm and the runtime \
    directory: thumbnails, lists of recent files, histories, copies. Everything else is read-only. What stays is the \
    space, the directories of --keep, and the vault.

    The session has a D-Bus of its own. Wayland, X11 and sound work; portals, keyrings, the services of the desktop and \
    the log of the system cannot be reached. When the program has ended, what it left running is ended, and everything is \
    written before the command returns. If the command is killed, the program ends, and everything is written too.

    The status is the program's, 128 and the number of the signal that ended it, 125 if agonyfs failed, 126 if the \
    program could not be executed, and 127 if there is none. \(password)

    Where namespaces are not allowed, as in many containers, it says so, mounts the space where others see it, and asks \
    programs to keep their files in the space, in the folder .run, by XDG_CACHE_HOME, XDG_CONFIG_HOME, XDG_DATA_HOME, \
    XDG_STATE_HOME and TMPDIR. --require-private fails instead, before it asks for the password.

    EXAMPLES

      agonyfs run ~/Vault                         your shell
      agonyfs run ~/Vault gthumb
      agonyfs run --keep ~/Print ~/Vault gimp 2019/IMG_1234.jpg
      agonyfs run --read-only --at ~/Photos ~/Vault -- eog .

    A program that goes to the background ends the session at once; run it from a shell. A program that is open already \
    may show there what it is asked to open: close it first. Printers, the clipboard and the network keep what they get.
    """
}
