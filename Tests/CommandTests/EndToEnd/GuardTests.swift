import Testing

@testable import agonyfs

/// `agonyfs guard` on a bus of its own, with real mounts.
@Suite(.enabled(if: Workspace.isRoot, "needs root, for namespaces without the mounts of others"))
struct GuardTests {
  @Test func theMachineSleepsWhenEverythingIsLocked() throws {
    try GuardedSystem().expectSuccess(
      """
      start_bus; start_logind; guard
      wait_for 600 'there is an inhibitor' holds
      # One for each: for both in one, logind asks whether the user may inhibit the switch of the lid.
      inhibitors | grep -q "'sleep', 'agonyfs', '[^']*', 'delay'"
      inhibitors | grep -q "'shutdown', 'agonyfs', '[^']*', 'delay'"
      open
      exec 5> Albums/open
      echo written >&5
      # While the daemon cannot answer, nothing is locked, and logind has to wait.
      halt $pid
      sleeps true
      wait_for 600 'agonyfs lock runs' lock_runs
      holds
      kill -CONT $pid
      locked
      wait_for 600 'logind may go on' let_go
      not echo more >&5
      grep 'The machine goes to sleep: everything is locked, after' log
      not grep 'InhibitDelayMaxSec' log
      exec 5>&-
      sleeps false
      wait_for 600 'there is an inhibitor again' holds
      open
      test "$(cat Albums/open)" = written
      signal PrepareForShutdown b '[<true>]'
      locked
      wait_for 600 'logind may go on' let_go
      kill $guard
      wait $guard
      """)
  }

  @Test func aLockThatTakesLongerThanLogindWaitsIsNamed() throws {
    try GuardedSystem().expectSuccess(
      """
      start_bus; start_logind
      mock AddProperty org.freedesktop.login1.Manager InhibitDelayMaxUSec '<uint64 1>'
      guard; open
      wait_for 600 'there is an inhibitor' holds
      halt $pid
      sleeps true
      wait_for 600 'it is said' said 1 'longer than the 0.00 s that logind waits.*InhibitDelayMaxSec'
      holds
      kill -CONT $pid
      locked
      wait_for 600 'logind may go on' let_go
      """)
  }

  @Test func itLocksWithTheSession() throws {
    try GuardedSystem().expectSuccess(
      """
      start_bus; start_logind; guard
      wait_for 600 'there is an inhibitor' holds
      open
      # Another user's session, and signals that are not logind's, do nothing.
      session c2 Lock
      session c2 SetLockedHint true
      removed c2
      for to in '' $(gdbus call --system -d org.freedesktop.DBus -o / -m org.freedesktop.DBus.ListNames |
        grep -o ':1[.][0-9]*'); do
        gdbus emit --system ${to:+-d $to} -o $root/session/c1 -s org.freedesktop.login1.Session.Lock || true
        gdbus emit --system ${to:+-d $to} -o $root -s org.freedesktop.login1.Manager.PrepareForSleep true || true
      done
      session c1 Lock
      locked
      wait_for 600 'it is said' said 1 'A session is locked: everything is locked'
      test "$(grep -c 'everything is locked' log)" = 1
      holds
      open
      session c1 SetLockedHint true
      locked
      session c1 SetLockedHint false
      # The screen may be locked again.
      open
      session c1 SetLockedHint true
      locked
      open
      mock AddSession c3 seat0 "$(id -u)" me true
      removed c1
      removed c3
      locked
      wait_for 600 'it is said' said 1 'A session has ended'
      test "$(grep -c 'A session has ended' log)" = 1
      """)
  }

  /// Logind keeps a session, and says nothing, as long as a process of it runs: a mount that was made in it is one.
  @Test func itLocksWhenTheFirstProcessOfASessionEnds() throws {
    try GuardedSystem().expectSuccess(
      """
      start_bus; start_logind
      sleep 600 & leader=$!
      mock AddSession c3 seat0 "$(id -u)" me true
      call $root/session/c3 -m org.freedesktop.DBus.Mock.UpdateProperties org.freedesktop.login1.Session \
        "{'Leader': <uint32 $leader>}"
      # The other session is over, and still listed.
      call $root/session/c1 -m org.freedesktop.DBus.Mock.UpdateProperties org.freedesktop.login1.Session \
        "{'State': <'closing'>}"
      guard --on logout
      open
      kill $leader
      locked
      wait_for 600 'it is said' said 1 'A session has ended'
      open
      removed c3
      removed c1
      kill $guard
      wait $guard
      mounted
      agonyfs unmount Albums
      """)
  }

  @Test func onlyWhatIsChosenLocks() throws {
    try GuardedSystem().expectSuccess(
      """
      start_bus; start_logind; guard --on lock
      open
      sleeps true
      removed c1
      mock AddSession c4 seat0 "$(id -u)" me true
      signal SessionNew so "[<'c4'>, <objectpath '$root/session/c4'>]"
      has_c4() { session c4 Lock; is_locked; }
      wait_for 600 'the session is known' has_c4
      let_go
      not grep -e sleep -e ended log
      """)
  }

  @Test func itComesBackWhenLogindOrTheBusDoes() throws {
    try GuardedSystem().expectSuccess(
      """
      start_bus; start_logind; guard
      wait_for 600 'there is an inhibitor' holds
      kill $logind
      wait_for 600 'it is said' said 1 'The connection to logind is lost'
      start_logind
      wait_for 600 'there is an inhibitor' holds
      open
      sleeps true
      locked
      wait_for 600 'logind may go on' let_go
      # The sleep ends while nobody is there to say so.
      kill $logind $daemon
      wait_for 600 'it is said' said 2 'The connection to logind is lost'
      start_bus; start_logind
      wait_for 600 'there is an inhibitor' holds
      # And the machine may go to sleep, or a screen be locked, then, too.
      kill $daemon
      wait_for 600 'it is said' said 3 'The connection to logind is lost'
      open
      kill -STOP $guard
      start_bus; start_logind
      mock UpdateProperties org.freedesktop.login1.Manager "{'PreparingForSleep': <true>}"
      kill -CONT $guard
      locked
      """)
  }

  @Test func screenLockersOfTheSessionCount() throws {
    try GuardedSystem().expectSuccess(
      """
      start_bus; start_logind
      export DBUS_SESSION_BUS_ADDRESS="unix:path=$W/session-bus"
      guard
      wait_for 600 'it is said' said 1 'The session bus cannot be reached'
      dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --nofork --nopidfile 2> session.log &
      screen() { gdbus emit --session -o $1 -s $2.ActiveChanged $3; }
      for one in org.freedesktop.ScreenSaver org.gnome.ScreenSaver; do
        open
        # It listens some time after the bus came.
        again() { screen /ScreenSaver $one false; mounted || return 0; screen /ScreenSaver $one true; is_locked; }
        wait_for 600 "$one locks" again
        wait_for 600 'no lock runs' not lock_runs
      done
      """)
  }

  @Test func itsEndLocksOnlyIfAsked() throws {
    try GuardedSystem().expectSuccess(
      """
      start_bus; start_logind; open
      guard
      kill -TERM $guard
      wait $guard
      mounted
      rm log
      guard --at-exit --on sleep
      exec 5> Albums/open
      echo written >&5
      kill -TERM $guard
      wait $guard
      is_locked
      not echo more >&5
      exec 5>&-
      open
      test "$(cat Albums/open)" = written
      agonyfs unmount Albums
      """)
  }

  @Test func aLogThatNobodyReadsDoesNotEndIt() throws {
    try GuardedSystem().expectSuccess(
      """
      start_bus; start_logind; open
      mkfifo pipe
      sed '/On guard/q' pipe > log &
      reader=$!
      "$AGONYFS" guard 2> pipe &
      wait $reader
      for round in 1 2; do
        session c1 Lock
        locked
        open
      done
      kill $!
      """)
  }

  @Test func withoutLogindItEnds() throws {
    try GuardedSystem().expectSuccess(
      """
      fails() {
        status=0
        "$AGONYFS" guard > output 2>&1 || status=$?
        test $status = \(CommandStatus.failure.rawValue)
        test "$(wc -l < output)" = 1
        grep 'Logind cannot report when to lock' output | grep "$1" | grep 'agonyfs lock'
      }
      fails 'system bus cannot be reached: No such file'
      start_bus
      fails 'org.freedesktop.login1 was not provided'
      # Somebody who never answers is ended by the first signal.
      /usr/bin/python3 -m dbusmock --system org.freedesktop.login1 $root org.freedesktop.login1.Manager 2> logind.log &
      wait_for 600 'logind is there' has_logind
      kill -STOP $!
      "$AGONYFS" guard 2> output &
      guard=$!
      wait_for 600 'it takes signals' grep -q '^SigBlk:.*[1-9a-f]' /proc/$guard/status
      kill -TERM $guard
      wait $guard
      """)
  }

  /// A service of `Type=notify` has begun when it has an inhibitor, and not before.
  @Test func systemdIsToldWhenItWorks() throws {
    try GuardedSystem().expectSuccess(
      """
      cat > wait.py <<'END'
      import socket, subprocess
      heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      heard.bind("notify")
      heard.settimeout(100)
      open("listens", "w").close()
      while b"READY=1" not in heard.recv(4096): pass
      shown = subprocess.run(["gdbus", "call", "--system", "-d", "org.freedesktop.login1", "-o", "/org/freedesktop/login1",
        "-m", "org.freedesktop.login1.Manager.ListInhibitors"], capture_output=True, check=True).stdout
      assert b"agonyfs" in shown, shown
      END
      start_bus; start_logind
      /usr/bin/python3 wait.py &
      listener=$!
      wait_for 600 'systemd listens' test -e listens
      export NOTIFY_SOCKET="$W/notify"
      guard
      wait $listener
      """)
  }
}
