import Albums
import CMount
import Testing

@testable import Mount

@Suite struct KernelRequestTests {
  /// A request as the kernel writes it, with this body.
  private func bytes(_ operation: fuse_opcode, body: [UInt8] = []) -> [UInt8] {
    var header = fuse_in_header()
    header.len = UInt32(MemoryLayout<fuse_in_header>.size + body.count)
    header.opcode = operation.rawValue
    header.unique = 7
    header.nodeid = 42
    header.uid = 1000
    header.gid = 100
    header.pid = 99
    return unsafe withUnsafeBytes(of: header) { unsafe [UInt8]($0) } + body
  }

  private func bytes(_ operation: fuse_opcode, _ body: some BitwiseCopyable, more: Int = 0) -> [UInt8] {
    let body = unsafe withUnsafeBytes(of: body) { unsafe [UInt8]($0) }
    return bytes(operation, body: body + [UInt8](repeating: 0, count: more))
  }

  /// Looks at a request that begins at an odd address, as nothing else is promised of it.
  private func look<Result>(_ bytes: [UInt8], _ body: (KernelRequest?) -> Result) -> Result {
    unsafe ([0] + bytes).withUnsafeBytes { unsafe body(KernelRequest(UnsafeRawBufferPointer(rebasing: $0[1...]))) }
  }

  private func isSmall(_ bytes: [UInt8], isAlone: Bool = false) -> Bool? {
    look(bytes) { $0?.isSmall(isAlone: isAlone) }
  }

  private func clears(_ bytes: [UInt8]) -> Bool? { look(bytes) { $0?.clearsSetBits } }

  @Test func theHeaderIsTakenApart() {
    look(bytes(FUSE_GETATTR, body: [1, 2, 3])) { request in
      #expect(request?.size == 43)
      #expect(request?.unique == 7 && request?.node == 42 && request?.thread == 99)
      #expect(request?.caller.user == 1000 && request?.caller.group == 100 && request?.caller.process == 99)
    }
    #expect(look(Array(bytes(FUSE_GETATTR)[..<39])) { $0 == nil })
    #expect(look([]) { $0 == nil })
  }

  @Test func whatNobodyAskedForIsNoUse() {
    for operation in [FUSE_FORGET, FUSE_BATCH_FORGET, FUSE_INTERRUPT, FUSE_STATFS, FUSE_DESTROY] {
      #expect(look(bytes(operation)) { $0?.isUse } == false)
    }
    for operation in [FUSE_LOOKUP, FUSE_READ, FUSE_RELEASE, FUSE_GETATTR, fuse_opcode(rawValue: 4000)] {
      #expect(look(bytes(operation)) { $0?.isUse } == true)
    }
  }

  @Test func writesAndOpensSayWhetherTheyClearBits() {
    var write = fuse_write_in()
    #expect(clears(bytes(FUSE_WRITE, write, more: 100)) == false)
    write.write_flags = UInt32(FUSE_WRITE_KILL_SUIDGID)
    #expect(clears(bytes(FUSE_WRITE, write, more: 100)) == true)
    var open = fuse_open_in()
    #expect(clears(bytes(FUSE_OPEN, open)) == false)
    open.open_flags = UInt32(FUSE_OPEN_KILL_SUIDGID)
    #expect(clears(bytes(FUSE_OPEN, open)) == true)
    // The same bits in another request, and in one that is cut short, say nothing.
    #expect(clears(bytes(FUSE_READ, write)) == false)
    #expect(clears(Array(bytes(FUSE_WRITE, write).dropLast())) == false)
    #expect(clears(Array(bytes(FUSE_OPEN, open).dropLast())) == false)
  }

  @Test func changesOfAttributesClearBits() {
    func clears(_ valid: CInt...) -> Bool? {
      var change = fuse_setattr_in()
      change.valid = UInt32(valid.reduce(0, |))
      return self.clears(bytes(FUSE_SETATTR, change))
    }
    #expect(clears() == true)
    #expect(clears(FATTR_FH, FATTR_LOCKOWNER) == true)
    #expect(clears(FATTR_UID) == true)
    #expect(clears(FATTR_GID, FATTR_MTIME) == true)
    #expect(clears(FATTR_SIZE, FATTR_KILL_SUIDGID) == true)
    #expect(clears(FATTR_UID, FATTR_MODE) == false)
    #expect(clears(FATTR_MODE) == false)
    #expect(clears(FATTR_SIZE) == false)
    #expect(clears(FATTR_MTIME, FATTR_FH) == false)
    #expect(self.clears(Array(bytes(FUSE_SETATTR, fuse_setattr_in()).dropLast())) == false)
  }

  @Test func fewBytesAreSmall() {
    var read = fuse_read_in()
    read.size = 32 << 10
    #expect(isSmall(bytes(FUSE_READ, read)) == true)
    read.size += 1
    #expect(isSmall(bytes(FUSE_READ, read)) == false)
    #expect(isSmall(bytes(FUSE_READ)) == false)
    #expect(isSmall(bytes(FUSE_WRITE, fuse_write_in(), more: 32 << 10)) == true)
    #expect(isSmall(bytes(FUSE_WRITE, fuse_write_in(), more: 32 << 10 | 1)) == false)
  }

  @Test func otherRequestsAreSmallByTheirKind() {
    for operation in [FUSE_LOOKUP, FUSE_GETATTR, FUSE_CREATE, FUSE_RELEASE, FUSE_RENAME2, FUSE_INTERRUPT] {
      #expect(isSmall(bytes(operation)) == true)
    }
    for operation in [
      FUSE_READDIR, FUSE_READDIRPLUS, FUSE_FALLOCATE, FUSE_COPY_FILE_RANGE, FUSE_SYNCFS, FUSE_BATCH_FORGET,
      fuse_opcode(rawValue: 4000),
    ] {
      #expect(isSmall(bytes(operation)) == false)
    }
    var change = fuse_setattr_in()
    change.valid = UInt32(FATTR_MODE)
    #expect(isSmall(bytes(FUSE_SETATTR, change)) == true)
    change.valid = UInt32(FATTR_SIZE)
    #expect(isSmall(bytes(FUSE_SETATTR, change)) == false)
  }

  @Test func syncingIsSmallForWhoIsAlone() {
    for operation in [FUSE_FSYNC, FUSE_FSYNCDIR] {
      #expect(isSmall(bytes(operation)) == false)
      #expect(isSmall(bytes(operation), isAlone: true) == true)
    }
  }

  @Test func eightInARowAreAlone() {
    let run = CallerRun()
    func isAlone(after thread: UInt32, times: Int) -> Bool {
      for _ in 0..<times { run.note(thread) }
      return run.isAlone
    }
    #expect(!isAlone(after: 5, times: 8))
    #expect(isAlone(after: 5, times: 1))
    // The kernel by itself does not count.
    #expect(isAlone(after: 0, times: 3))
    #expect(!isAlone(after: 6, times: 1))
    #expect(isAlone(after: 5, times: 9))
  }
}
