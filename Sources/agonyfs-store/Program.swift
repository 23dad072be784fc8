internal import CStore
internal import Glibc
internal import ObjectStore
internal import System

/// The program that talks to an object store for agonyfs. It sees ciphertext and the credentials of the store, but no
/// key of the vault. Requests come from standard input and answers go to standard output; there are no other open
/// descriptors.
///
/// 1. It gives up all rights except connections to the port of one server before the first byte of that server comes.
///    So the name of the server is looked up before; agonyfs starts a new process when its addresses do not answer.
/// 2. It ends when agonyfs closes the other end, even during a request.
@main
enum Program {
  static func main() {
    guard CommandLine.arguments.count == 1, agonyfs_store_prepare() == 0 else { exit(1) }
    Heap.keepSmall()
    let (message, body) = Channel.receive()
    guard message == .configure, let configuration = try? StoreConfiguration(decoding: body) else { exit(1) }
    let session: StoreSession
    do throws(StoreError) {
      session = try StoreSession(configuration)
    } catch {
      Channel.send(.failed, StoreMessage.outcome(error.encoded, date: nil))
      exit(0)
    }
    let confinement = agonyfs_store_confine(configuration.address.port)
    var hello = ByteWriter()
    hello.append(UInt32(clamping: confinement.landlock))
    hello.append(UInt8(confinement.seccomp == 0 ? 0 : 1))
    Channel.send(.hello, hello.bytes)
    while true { work(session) }
  }

  private static func work(_ session: StoreSession) {
    let (message, body) = Channel.receive()
    guard message == .job, let job = try? StoreJob(decoding: body) else { exit(1) }
    let (outcome, date) = session.run(job)
    switch outcome {
    case .success(let answer): Channel.send(.done, StoreMessage.outcome(answer.encoded, date: date))
    case .failure(let error): Channel.send(.failed, StoreMessage.outcome(error.encoded, date: date))
    }
  }
}
