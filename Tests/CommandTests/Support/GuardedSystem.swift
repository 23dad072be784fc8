import Testing

/// A vault, and a machine of its own for `agonyfs guard`: a private bus on which python3-dbusmock plays logind, and
/// namespaces in which there are no mounts and processes but those of the test. Needs root.
struct GuardedSystem {
  let workspace: Workspace

  init() throws {
    workspace = try Workspace.withVault()
    try workspace.write(
      """
      <busconfig><type>system</type><listen>unix:path=\(workspace.path)/bus</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
      <allow own="*"/><allow user="*"/></policy></busconfig>
      """, to: "bus.conf")
  }

  /// Runs a script in which every command must succeed. `start_bus` and `start_logind` begin what the guard needs, and
  /// `guard OPTIONS` the guard, which writes into the file `log`; its process is `$guard`. `open` mounts.
  func expectSuccess(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try CommandTests.expectSuccess(
      inNamespaceOf: workspace, isAlone: true, Self.functions + script, sourceLocation: sourceLocation)
  }

  private static let functions = #"""
    unset DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR NOTIFY_SOCKET
    export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$W/bus" LC_ALL=C PYTHONDONTWRITEBYTECODE=1
    root=/org/freedesktop/login1
    call() { gdbus call --system -d org.freedesktop.login1 -o "$@"; }
    # mock METHOD ARGUMENTS: of the manager's object.
    mock() { method=$1; shift; call $root -m org.freedesktop.DBus.Mock.$method "$@" > /dev/null; }
    signal() { mock EmitSignal org.freedesktop.login1.Manager "$@"; }
    sleeps() { signal PrepareForSleep b "[<$1>]"; }
    session() { one=$1; shift; call $root/session/$one -m org.freedesktop.login1.Session."$@" > /dev/null; }
    removed() { signal SessionRemoved so "[<'$1'>, <objectpath '$root/session/$1'>]"; }
    start_bus() {
      rm -f bus
      dbus-daemon --config-file=bus.conf --nofork --nopidfile 2> bus.log &
      daemon=$!
      wait_for 600 'the bus is there' test -S bus
    }
    has_logind() { call $root -m org.freedesktop.DBus.Peer.Ping > /dev/null 2>&1; }
    start_logind() {
      /usr/bin/python3 -m dbusmock --system --template logind 2> logind.log &
      logind=$!
      wait_for 600 'logind is there' has_logind
      mock AddSession c1 seat0 "$(id -u)" me true
      mock AddSession c2 seat0 4711 other false
    }
    inhibitors() { call $root -m org.freedesktop.login1.Manager.ListInhibitors; }
    holds() { inhibitors | grep -q "'agonyfs'"; }
    let_go() { not holds; }
    # said NUMBER WORDS: the guard has said them so often.
    said() { test "$(grep -c -e "$2" log)" -ge $1; }
    guard() {
      "$AGONYFS" guard "$@" 2>> log &
      guard=$!
      wait_for 600 'the guard works' begins
      said 1 'On guard' || { cat log >&2; exit 1; }
    }
    begins() { said 1 'On guard' || ends $guard; }
    open() {
      agonyfs mount --password-file password Vault Albums
      pid=$(pgrep -of "^agonyfs mount .*$W/Albums")
    }
    is_locked() { not mounted && not kill -0 $pid 2> /dev/null; }
    locked() { wait_for 600 'everything is locked' is_locked; }
    lock_runs() { pgrep -f '^agonyfs lock' > /dev/null; }

    """#
}
