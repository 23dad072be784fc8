/// What the tests of quick unlock share, for scripts.
enum UnlockScript {
  /// `typed TEXT COMMAND...` runs agonyfs at a terminal at which the text is typed; what it shows is in the file `shown`.
  /// `fails WORDS` expects that what is enrolled does not mount, with these words, and that the typed password still does.
  static let functions = """
    typed() {
      text=$1
      shift
      printf "$text" | script -qec "$AGONYFS $*" /dev/null | tr -d '\\r' > shown || true
    }
    fails() {
      says 1 "$1" agonyfs mount --enrolled Vault Albums
      agonyfs mount --password-file password Vault Albums
      agonyfs unmount Albums
    }
    """
}
