import TestSupport
import Testing

/// Who runs a session.
enum SessionPerson: String, CaseIterable {
  case root, user

  /// Whether a session can be tried: some systems let only root make namespaces.
  var canHaveSessions: Bool { self == .root || Self.usersMakeNamespaces }

  private static let usersMakeNamespaces = {
    let become = "setpriv --reuid 65534 --regid 65534 --clear-groups unshare --user --mount --pid --fork true"
    let outcome = try? Outcome("/bin/sh", arguments: ["-c", become])
    if outcome?.status != 0 { print("Users may make no namespaces here: agonyfs run is tried as root only.") }
    return outcome?.status == 0
  }()
}

/// Runs a script in a mount namespace in which /tmp, /var/tmp and /dev/shm are empty but for the workspace. `person`
/// starts a command as somebody with the home directory `home`, and `$person` is root or user. `run WORDS...` opens
/// `home/Vault` in a private session, `redirected WORDS...` in whatever is possible. `left WORD` fails if a word is
/// nowhere outside, in names or in files, and `ended` unless nothing serves a mount.
func expectSuccess(
  as person: SessionPerson, _ script: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  guard person.canHaveSessions else { return }
  let workspace = try Workspace.withVault(owner: sourceLocation.fileID)
  let become = person == .root ? "" : "setpriv --reuid 65534 --regid 65534 --clear-groups "
  let start = """
    umask 022
    # It may be in /tmp itself, or where others may not enter.
    cp "$AGONYFS" program
    open_device
    mkdir dev/shm home outside kept
    chmod 1777 dev/shm
    mount -t tmpfs none /var/tmp
    chmod 1777 /var/tmp
    mount -t tmpfs none outside
    chmod 1777 outside
    case "$W" in /tmp/*)
      mkdir -p "outside/${W#/tmp/}"
      mount --bind "$W" "outside/${W#/tmp/}"
      mount --rbind outside /tmp ;;
    esac
    cd "$W"
    chmod 0755 . program
    mv Vault home/Vault
    person() { \(become)env HOME="$W/home" XDG_RUNTIME_DIR= PATH=/usr/bin:/bin "$@"; }
    person=\(person.rawValue)
    if test $person = user; then
      rm -r home/Vault
      chown -R 65534:65534 home kept password Albums
      person ./program create --kdf interactive --cover 0 --segment-size 1M --password-file password home/Vault
    fi
    run() { person ./program run --require-private --password-file password "$@"; }
    redirected() { person ./program run --password-file password "$@"; }
    mount_it() { person ./program mount --password-file password home/Vault Albums; }
    unmount_it() { person ./program unmount Albums; }
    left() {
      { grep -rlaF --exclude=script --exclude=said -e "$1" /tmp /var/tmp /dev/shm
        find /tmp /var/tmp /dev/shm -name "*$1*"; } 2> /dev/null | grep .
    }
    serves() { pgrep -f "agonyfs mount .*$W/" > /dev/null; }
    ended() { not serves; }

    """
  try expectSuccess(inNamespaceOf: workspace, isAlone: true, start + script, sourceLocation: sourceLocation)
}
