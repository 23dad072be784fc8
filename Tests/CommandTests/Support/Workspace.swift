import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import agonyfs

/// A directory for one test. At the end every mount below it is taken away and everything in it is deleted.
final class Workspace {
  /// Cheap, and what most tests use.
  static let password = "correct horse battery staple"

  /// The directory, as an absolute path.
  var path: String { folder.path }
  private let folder: TemporaryFolder

  init(owner: String = #fileID) throws {
    folder = try TemporaryFolder(owner: owner)
  }

  deinit {
    _ = try? shell(
      """
      cd /
      # A test that stops a daemon may have failed before it let it go on.
      pkill -CONT -f "mount .*$W/"
      # A mount that hangs must not hold whoever looks into the directory: this one, and the test process after it.
      for m in $(awk -v p="$W/" 'index($2, p) == 1 {print $2}' /proc/mounts | sort -r); do
        # The kernel writes spaces and backslashes as octal digits.
        m=$(printf "$(printf '%s' "$m" | sed s/%/%%/g)x") m=${m%x}
        timeout -k 1 100 "$AGONYFS" unmount "$m" || timeout -k 1 10 fusermount3 -u "$m" ||
          timeout -k 1 10 umount -l "$m" || timeout -k 1 10 fusermount3 -uz "$m"
      done
      # A daemon whose mount is gone still writes what it has in memory, and would make files in what is deleted.
      tries=600
      while pgrep -f "mount .*$W/" > /dev/null && [ $tries -gt 0 ]; do sleep 0.1; tries=$((tries - 1)); done
      # So may whatever else its scripts started.
      for environment in $(grep -lzxF "W=$W" /proc/[0-9]*/environ 2> /dev/null); do
        process=${environment#/proc/}
        kill -KILL "${process%/environ}"
      done
      chmod -R u+rwx "$W"
      rm -rf --one-file-system "$W"
      """)
  }

  /// The program under test: what `AGONYFS_TEST_PROGRAM` names, or what is built beside the tests.
  static let program =
    unsafe getenv("AGONYFS_TEST_PROGRAM").map { unsafe String(cString: $0) } ?? builtProgram("agonyfs")

  /// Whether the tests may do what only root may.
  static let isRoot = geteuid() == 0

  /// The absolute path of something in the directory.
  func at(_ name: String) -> String { path + "/" + name }

  /// Writes a file.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try Descriptor.open(at(name), O_WRONLY | O_CREAT | O_TRUNC).writeAll(Array(text.utf8))
    return at(name)
  }

  /// Runs the program under test.
  func agonyfs(_ arguments: String..., input: String = "") throws -> Outcome {
    try Outcome(Self.program, arguments: arguments, input: input)
  }

  /// Functions for scripts: `agonyfs` calls the program under test, which derives no key that is known
  /// (Tests/DerivationCache), and `not` a command that must fail (`! command` would not end a script that `set -e` is to
  /// end). `wait_for SECONDS EVENT COMMAND...` looks again and again until the command succeeds, and says what was not in
  /// time; `gone PROCESS` waits for its end, `halt PROCESS` stops it (after `kill` alone its threads still answer for a
  /// moment), `mounted` says whether `Albums` is served. `without_mounts` takes away what other tests mounted, in a mount
  /// namespace of the script's own. `detach` unmounts `disk`, which is in the file `image`, and waits until the kernel has
  /// let go of it: in a namespace that was just copied it is still mounted, and would be what it was when it is mounted
  /// again. `make_disk SIZE KIND OPTIONS...` mounts a new file system of a kind at `disk`, `small_ext4 N` an ext4 with
  /// room for `Vault` and N MiB more, and copies the vault there. `files VAULT` counts its segment files, and fails if
  /// they do not all have the same size. `gives STATUS COMMAND...` expects how a command ends; `says STATUS WORDS
  /// COMMAND...` also that it says some words to standard error, of which the file `err` has all, and `tells` to that
  /// or to standard output, which is in `out`. `open_device` mounts a /dev in which users, too, have a device for
  /// mounts, as udev makes it.
  static let functions = """
    agonyfs() { AGONYFS_TEST_ONE_SALT=1 LD_PRELOAD=${DERIVATIONS:-} "$AGONYFS" "$@"; }
    not() { if "$@"; then return 1; fi; }
    wait_for() {
      deadline=$(($(date +%s) + $1))
      seconds=$1 event=$2
      shift 2
      until "$@"; do
        if [ $(date +%s) -ge $deadline ]; then echo "$seconds s passed before $event" >&2; return 1; fi
        sleep 0.05
      done
    }
    # Threads of a process that was killed go a moment after it, and may hold what it had open until then.
    is_alone() { test -z "$(ls /proc/$1/task 2> /dev/null | grep -vx $1)"; }
    ends() { not kill -0 $1 2> /dev/null || { grep -q '^State:.Z' /proc/$1/status && is_alone $1; }; }
    gone() { wait_for 600 "process $1 ended" ends $1; }
    is_halted() { test -z "$(grep -L '^State:.T' /proc/$1/task/*/status)"; }
    halt() { kill -STOP $1; wait_for 600 "process $1 is stopped" is_halted $1; }
    mounted() { grep -q " $W/Albums fuse.agonyfs " /proc/mounts; }
    without_mounts() {
      types=$(awk '$3 ~ /^fuse/ {print $3}' /proc/mounts | sort -u | paste -sd ,)
      test -z "$types" || umount -al -t "$types"
      for place in $(awk '/agonyfs-test-/ {print $2}' /proc/mounts | tac); do
        case $place in "$W"/*) ;; *) umount -l $place ;; esac
      done
    }
    is_free() { test -z "$(losetup -j $1)"; }
    # Threads of a process that was killed hold files a moment longer than it.
    detach() { wait_for 600 'nobody uses the disk' umount disk; wait_for 600 'the image is free' is_free image; }
    make_disk() {
      truncate -s $1 image
      shift
      mkfs.$* -q image
      mkdir disk
      mount -o loop image disk
    }
    small_ext4() { make_disk $(($(du -sm Vault | cut -f 1) + $1))M ext4 -m 0; cp -a Vault disk/; }
    files() {
      test "$(find $1/segments -type f -printf '%s\\n' | sort -u | wc -l)" = 1 || return
      find $1/segments -type f | wc -l
    }
    gives() {
      status=$1 got=0
      shift
      "$@" || got=$?
      test $got = $status || { echo "$got, not $status" >&2; return 1; }
    }
    says() { ends_and_says err "$@"; }
    tells() { ends_and_says 'out err' "$@"; }
    ends_and_says() {
      where=$1 status=$2 words=$3 got=0
      shift 3
      "$@" > out 2> err || got=$?
      test $got = $status && grep -q -e "$words" $where || { echo "$got, not $status:"; cat out err; return 1; } >&2
    }
    open_device() {
      mkdir dev
      mount -t tmpfs none dev
      cp -a /dev/null /dev/zero /dev/urandom /dev/tty /dev/fuse dev/
      chmod 0666 dev/fuse
      mount --bind dev /dev
    }

    """

  /// Runs a script by sh. In it `$W` is the directory, `$AGONYFS` the program, `$MAPWRITER` the
  /// one that writes to a mapped file.
  func shell(_ script: String, input: String = "") throws -> Outcome {
    // Longer than what the script itself waits for, which says what did not happen.
    let start = """
      W='\(path)'; AGONYFS='\(Self.program)'; MAPWRITER='\(builtProgram("map-writer"))'; export W AGONYFS MAPWRITER
      DERIVATIONS='\(builtProgram("libderivation-cache.so"))'; export DERIVATIONS
      cd "$W"

      """
    return try Outcome("/bin/sh", arguments: ["-c", start + Self.functions + script], input: input, limit: 1500)
  }
}

extension Workspace {
  /// Makes a vault called `Vault` that costs little, and has not so much cover that it does not fit on a small disk,
  /// with a space for the usual password, and the directory `Albums`.
  ///
  /// - Parameter ownCover: how much a hidden space can store in cover of its own. Then the usual password opens that one,
  ///   what is in the file `first` opens the other, and some of the cover is used already.
  func makeVault(_ options: String = "--segment-size 1M", ownCover: String = "") throws {
    let limit = options.contains("--cover") ? 400 : ownCover.isEmpty ? 100 : 240
    let passwords =
      ownCover.isEmpty
      ? "--cover 0 \(options) --password-file password"
      : "\(options) --cover \(ownCover) --password-file first --hidden-password-file password"
    let made = try shell(
      """
      mkdir -p Albums
      printf '%s\\n' '\(Self.password)' > password
      echo 'the password of the first space' > first
      tries=0
      until agonyfs create --kdf interactive \(passwords) Vault || exit
        test "$(du -sm Vault | cut -f 1)" -lt \(limit)
      do
        rm -r Vault
        tries=$((tries + 1))
        test $tries -lt 50 || { echo 'every vault is too large' >&2; exit 1; }
      done
      """)
    guard made.status == 0 else { throw CommandFailure(.failure, made.description) }
  }

  /// A directory with a vault, as `makeVault` makes it.
  static func withVault(
    _ options: String = "--segment-size 1M", ownCover: String = "", owner: String = #fileID
  ) throws -> Workspace {
    let workspace = try Workspace(owner: owner)
    try workspace.makeVault(options, ownCover: ownCover)
    return workspace
  }

  /// Mounts the space of the usual password at `Albums`.
  func mount(_ options: String = "") throws -> Outcome {
    try shell("agonyfs mount --password-file password \(options) Vault Albums")
  }

  /// Takes the mount at `Albums` away.
  func unmount() throws -> Outcome { try agonyfs("unmount", at("Albums")) }
}

/// Runs a script in which every command must succeed; what it did is shown when one does not.
func expectSuccess(
  _ workspace: Workspace, _ script: String, input: String = "", sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let outcome = try workspace.shell("set -eux\n" + script, input: input)
  #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
}

/// Runs a script in which every command must succeed, in a directory of its own with a vault, as `makeVault` makes it.
func expectSuccess(
  _ script: String, ownCover: String = "", sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let workspace = try Workspace.withVault(ownCover: ownCover, owner: sourceLocation.fileID)
  try expectSuccess(workspace, script, sourceLocation: sourceLocation)
}

/// Runs a script in which every command must succeed in a mount namespace of its own. One that is alone has no mounts
/// and processes of others in its namespaces.
func expectSuccess(
  inNamespaceOf workspace: Workspace, isAlone: Bool = false, _ script: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let start = "set -eux\n" + Workspace.functions + (isAlone ? "without_mounts\n" : "")
  try workspace.write(start + script + "\n", to: "script")
  let more = isAlone ? "-p -f --mount-proc --kill-child" : ""
  try expectSuccess(workspace, "exec unshare -m \(more) sh ./script", sourceLocation: sourceLocation)
}

/// Expects a failure with a status, and a sentence that holds some words.
func expectFailure(
  _ outcome: Outcome, _ status: CommandStatus, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(outcome.status == status.rawValue, "\(outcome)", sourceLocation: sourceLocation)
  for word in words { #expect(outcome.errors.contains(word), "\(outcome)", sourceLocation: sourceLocation) }
}
