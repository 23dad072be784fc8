import FaultyStorage
import Index
import TestSupport
import Testing
import Vault

/// Our VFS against SQLite's own.
@Suite struct PageFileTests {
  /// The same random statements on an ordinary file and on a page store give the same rows, whether pages spill or not.
  @Test(arguments: [(1, false), (2, false), (3, true), (4, true)] as [(UInt64, Bool)])
  func conformance(seed: UInt64, spills: Bool) throws {
    let folder = try TemporaryFolder()
    let store = MemoryPageStore()
    let file = PageFile(store)
    let ours = try Connection(file: file)
    let plain = try Connection(file: nil, path: folder.path("database"))
    let pragmas = """
      PRAGMA page_size = 4096; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY;
      PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = OFF;
      PRAGMA cache_size = \(spills ? "10; PRAGMA cache_spill = 1" : "-24576; PRAGMA cache_spill = OFF");
      CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB, c INTEGER); CREATE INDEX t_c ON t(c);
      CREATE TABLE u(k BLOB PRIMARY KEY, v BLOB) WITHOUT ROWID;
      """
    for connection in [ours, plain] { try connection.execute(pragmas) }

    var random = SeededGenerator(seed: seed)
    var isOpen = false
    for step in 0..<1500 {
      let sql = Workload.next(&random, isOpen: &isOpen)
      let errors = [ours, plain].map { connection -> IndexError? in
        do throws(IndexError) { try connection.execute(sql) } catch { return error }
        return nil
      }
      #expect(errors[0] == errors[1], "\(sql)")
      if random.oneIn(3) { store.take(file) }
      if step % 50 == 0 || step == 1499 {
        for query in Workload.queries { try expectSame(ours, plain, query) }
        #expect(store.history.last?.isComplete == true)
      }
    }
    if isOpen { for connection in [ours, plain] { try connection.execute("COMMIT") } }
    store.take(file)
    for query in Workload.queries + ["PRAGMA integrity_check", "PRAGMA page_count"] {
      try expectSame(ours, plain, query)
    }
    #expect(file.counters == PageFileCounters())

    let again = try Connection(file: PageFile(MemoryPageStore(try #require(store.history.last))))
    for query in Workload.queries + ["PRAGMA integrity_check"] { try expectSame(again, plain, query) }
  }

  /// Deleting and vacuuming makes the store smaller, in the commit itself.
  @Test func shrinks() throws {
    let (index, store) = try makeIndex()
    for number in 0..<3000 as Range<UInt64> {
      try index.insert(.file(index.nextInodeNumber(), size: Int64(number)))
    }
    try index.commit(to: store)
    let full = store.databasePageCount
    for number in 2..<3002 as Range<UInt64> { try index.deleteInode(InodeNumber(rawValue: number)) }
    try index.commit(to: store)
    let free = try index.freePages()
    #expect(free > 30)
    try index.incrementalVacuum(pages: 20)
    try index.commit(to: store)
    #expect(try index.freePages() == free - 20)
    #expect(store.databasePageCount <= full - 20)
    try index.incrementalVacuum(pages: .max)
    try index.commit(to: store)
    #expect(try index.freePages() == 0)
    #expect(store.databasePageCount < 35)
    #expect(store.history.allSatisfy { $0.isComplete })
    try expectClean(index)
    #expect(try Index(space: store).inodeCount == 1)
  }

  /// Journals and temporary files never reach the VFS, and would be refused.
  @Test func refusesJournals() throws {
    let file = PageFile(MemoryPageStore())
    let connection = try Connection(file: file)
    try connection.execute("PRAGMA journal_mode = DELETE")
    #expect(throws: IndexError.self) { try connection.execute("CREATE TABLE t(a)") }
    #expect(file.counters.refusedOpens > 0)
  }

  private func expectSame(_ ours: Connection, _ plain: Connection, _ query: String) throws {
    // Not inside #expect, which would describe megabytes.
    let isSame = try rows(ours, query) == rows(plain, query)
    #expect(isSame, "\(query)")
  }

  private func rows(_ connection: Connection, _ sql: String) throws -> [[[UInt8]]] {
    try connection.prepare(sql).rows { (row) throws(IndexError) in [row.bytes(0), row.bytes(1), row.bytes(2)] }
  }
}

/// Random SQL.
private enum Workload {
  static let queries = [
    "SELECT a, b, c FROM t ORDER BY a", "SELECT k, v, NULL FROM u ORDER BY k", "SELECT count(*), sum(c), max(c) FROM t",
    "SELECT c, count(*), NULL FROM t INDEXED BY t_c GROUP BY c",
  ]

  static func next(_ random: inout SeededGenerator, isOpen: inout Bool) -> String {
    let key = Int.random(in: 0..<400, using: &random)
    let size = random.oneIn(10) ? Int.random(in: 0..<20_000, using: &random) : Int.random(in: 0..<300, using: &random)
    let byte = Int.random(in: 16..<256, using: &random)
    let value = "replace(zeroblob(\(size)), x'00', x'\(String(byte, radix: 16))')"
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<5: return "INSERT OR REPLACE INTO t VALUES(\(key), \(value), \(byte))"
    case 5..<8: return "INSERT OR REPLACE INTO u VALUES(x'\(String(byte, radix: 16))', \(value))"
    case 8..<10: return "UPDATE t SET c = c + 1, b = \(value) WHERE a BETWEEN \(key) AND \(key + 3)"
    case 10..<12: return "DELETE FROM t WHERE a BETWEEN \(key) AND \(key + 20)"
    case 12: return "INSERT INTO t VALUES(\(key), NULL, NULL)"
    case 13: return "PRAGMA incremental_vacuum(\(key % 7 + 1))"
    case 14: return isOpen ? "SAVEPOINT s\(key % 3)" : "SELECT 1"
    case 15: return isOpen ? "ROLLBACK TO s\(key % 3)" : "SELECT 1"
    case 16: return isOpen ? "RELEASE s\(key % 3)" : "SELECT 1"
    default:
      defer { isOpen.toggle() }
      if !isOpen { return "BEGIN" }
      return random.oneIn(3) ? "ROLLBACK" : "COMMIT"
    }
  }
}
