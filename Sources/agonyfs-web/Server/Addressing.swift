// Invariants
// 1. The server answers for the addresses that this machine has now, and for those for which a code was shown.
// 2. A code is only for an address for which the server has a certificate.

internal import Glibc
internal import Identity
internal import Synchronization
internal import WebAccess

/// The addresses of the server, the one of the next code, and its certificate.
final class Addressing: Sendable {
  private struct State {
    var machine: MachineAddresses
    /// The address of the next code, and the addresses of earlier codes.
    var shown: LocalAddress
    var earlier: Set<LocalAddress> = []
    var check: RequestCheck
    /// The fingerprint of the certificate for the next code; nil once it was shown.
    var fingerprint: String?
    /// 0 until the system has chosen a port.
    var port: Int
  }

  /// The address at which the server listens.
  let listened: LocalAddress
  var port: Int { state.withLock { $0.port } }
  let certificates = ShownCertificates()
  private let isEncrypted: Bool
  private let certificateFolder: String?
  private let state: Mutex<State>

  /// - Throws: `Failure`.
  init(_ command: Program) throws {
    guard let listened = Self.place(command) else {
      throw Failure("--listen needs an address of this machine, such as 192.168.1.5.", status: 2)
    }
    guard !command.http || listened.isLoopback else {
      throw Failure("--http works on this machine only; leave it out, or add --listen 127.0.0.1.", status: 2)
    }
    self.listened = listened
    (isEncrypted, certificateFolder) = (!command.http, command.certificateFolder)
    let machine = Self.machine(at: listened)
    let addresses = listened.isAny ? Self.addresses(machine) : [listened]
    guard let shown = addresses.first else {
      throw Failure("No network interface of this machine is up; connect it to a network first.")
    }
    let check = Self.check(addresses, at: listened, port: command.port, isEncrypted: !command.http)
    state = Mutex(State(machine: machine, shown: shown, check: check, port: command.port))
    if isEncrypted {
      let fingerprint = try showCertificate(for: shown, addresses)
      state.withLock { $0.fingerprint = fingerprint }
    }
  }

  /// Records the port at which the server listens, which the system may have chosen.
  func listens(at port: Int) {
    state.withLock { state in
      guard port != state.port else { return }
      state.port = port
      let addresses = listened.isAny ? Self.addresses(state.machine) : [listened]
      state.check = Self.check(addresses, at: listened, port: port, isEncrypted: isEncrypted)
    }
  }

  var cookies: CookieNames { CookieNames(port: port, isEncrypted: isEncrypted) }

  /// The check for the addresses that requests may name now.
  var check: RequestCheck { state.withLock { $0.check } }

  /// Remarks about the address in the code, to be read before scanning it: one line each.
  var remarks: [String] {
    guard listened.isAny else { return [] }
    let (machine, shown) = state.withLock { ($0.machine, $0.shown) }
    let others = machine.all.filter { $0.isRunning && !$0.isLoopback && $0.text != shown.text }
      .map { "\($0.text) (\($0.interface))" }
    var lines: [String] = []
    if !machine.isWithinReach {
      lines.append(
        "Phones cannot reach \(shown.text), because this machine is not in a network. Once it is, the next code has its "
          + "new address.")
    }
    if !others.isEmpty {
      lines.append(
        "The code has the address \(shown.text). For a code with \(others.joined(separator: " or ")), use --listen.")
    }
    return lines
  }

  /// The contents of the next code's message, for the address that is best now.
  struct Next {
    /// A message about a changed address; nil if it was already shown.
    let sentence: String?
    /// The fingerprint of the certificate; nil if it was already shown.
    let fingerprint: String?
    /// The beginning of the URL.
    let origin: String
  }

  /// The contents of the next code's message. If making a certificate failed before, it is tried again.
  func next() -> Next {
    state.withLock { state in
      let sentence = look(&state, isForCode: true)
      defer { state.fingerprint = nil }
      let origin = "\(isEncrypted ? "https" : "http")://\(state.shown.host):\(state.port)/"
      return Next(sentence: sentence, fingerprint: state.fingerprint, origin: origin)
    }
  }

  /// Checks the current addresses of this machine, and prepares a certificate if the next code is for another address.
  ///
  /// - Returns: A message about the changed address; nil if there is none.
  func look() -> String? { state.withLock { look(&$0, isForCode: false) } }

  private func look(_ state: inout State, isForCode: Bool) -> String? {
    guard listened.isAny else { return nil }
    let machine = Self.machine(at: listened)
    let addresses = Self.addresses(machine)
    // Without a network, the code keeps the address of the last one.
    guard let first = machine.all.first, first.isRunning, !first.isLoopback, let best = addresses.first,
      machine != state.machine || (isForCode && best != state.shown)
    else { return nil }
    state.machine = machine
    var sentence: String?
    if best != state.shown {
      do {
        if isEncrypted { state.fingerprint = try showCertificate(for: best, addresses) }
        state.earlier.insert(state.shown)
        state.shown = best
        sentence = "The address of this machine is now \(best.text). Press Enter for a code with it."
      } catch let failure as Failure {
        sentence =
          "The address of this machine is now \(best.text), but its certificate cannot be made. \(failure.message)"
      } catch {
        sentence = "The address of this machine is now \(best.text), but its certificate cannot be made: \(error)."
      }
    }
    let hosts = addresses + state.earlier.union([state.shown]).filter { !addresses.contains($0) }
    state.check = Self.check(hosts, at: listened, port: state.port, isEncrypted: isEncrypted)
    return sentence
  }

  /// The address that a command listens at; nil if it is invalid.
  private static func place(_ command: Program) -> LocalAddress? {
    if let text = command.listen { return LocalAddress(text) }
    if command.http { return LocalAddress("127.0.0.1") }
    // A version 6 socket accepts both versions, but some systems do not have version 6.
    let isVersion6 = MachineAddresses.current().all.first?.isVersion6 ?? false
    return LocalAddress(isVersion6 ? "::" : "0.0.0.0")
  }

  private static func machine(at listened: LocalAddress) -> MachineAddresses {
    let isVersion6 = listened.bytes.count == 16
    return MachineAddresses.current(prefersVersion6: isVersion6, withoutVersion6: !isVersion6)
  }

  private static func addresses(_ machine: MachineAddresses) -> [LocalAddress] {
    machine.all.compactMap { LocalAddress($0.text) }
  }

  /// Accepts no names except `localhost`, because others can make a name resolve to this machine (DNS rebinding).
  private static func check(
    _ addresses: [LocalAddress], at listened: LocalAddress, port: Int, isEncrypted: Bool
  ) -> RequestCheck {
    let names = listened.isAny || listened.isLoopback ? ["localhost"] : []
    return RequestCheck(hosts: addresses.map(\.host) + names, port: port, isEncrypted: isEncrypted)
  }

  /// Selects the certificate for an address: the one that browsers know there, or a new one. Returns its fingerprint.
  private func showCertificate(for address: LocalAddress, _ addresses: [LocalAddress]) throws -> String {
    do {
      // Read again each time, because phones trust the authority in the folder, and the user may have replaced it.
      let kept = try certificateFolder.map { try Self.authority(in: $0, addresses) }
      if let known = certificates.showAgain(for: address, signedBy: try kept?.authorityBytes()) { return known }
      return try certificates.show(try kept ?? Certificates(addresses: addresses), for: address)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure("The certificate could not be made: \(error)")
    }
  }

  private static func authority(in folder: String, _ addresses: [LocalAddress]) throws -> Certificates {
    let shown = OneLine.safe(folder)
    let directory = HostPath.openFolder(folder)
    guard directory >= 0 else {
      throw Failure("The folder \(shown) cannot be made or opened: \(unsafe String(cString: strerror(errno))).")
    }
    defer { close(directory) }
    return try Certificates(addresses: addresses, folder: directory, named: shown)
  }
}
