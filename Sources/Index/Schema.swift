// The tables. Any change here is a change of the format and increments `version`.

enum Schema {
  /// The value of the key "schema" in `meta`.
  static let version: Int64 = 3
  /// The oldest version that can be read. It lacks the tables and indexes of `catalog`.
  static let oldestVersion: Int64 = 2

  /// Must be executed before the first table is created. It writes the first page, even of an existing database. So it
  /// comes after `pragmas`, without which SQLite would open a journal file, and inside the transaction that creates the
  /// tables.
  static let creationPragma = "PRAGMA auto_vacuum = INCREMENTAL"

  /// Settings of each connection. None of them writes. The cache must not spill: the page file would keep spilled pages
  /// in memory, too.
  static let pragmas = """
    PRAGMA page_size = 4096;
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = MEMORY;
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -24576;
    PRAGMA cache_spill = OFF;
    PRAGMA secure_delete = OFF;
    PRAGMA mmap_size = 0;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA foreign_keys = OFF;
    """

  /// Settings of a connection that reads a snapshot, after `pragmas`: several may exist. `cache` is in bytes.
  static func snapshotPragmas(cache: Int) -> String { "PRAGMA cache_size = -\(cache >> 10)" }

  /// All tables. Names are BLOBs, so they compare as bytes. Statements and records rely on the order of the columns.
  static let tables = """
    CREATE TABLE inode(
      number INTEGER PRIMARY KEY, mode INTEGER, links INTEGER, owner INTEGER, "group" INTEGER, device INTEGER, size INTEGER,
      allocated INTEGER, accessed_s INTEGER, accessed_ns INTEGER, modified_s INTEGER, modified_ns INTEGER,
      changed_s INTEGER, changed_ns INTEGER, born_s INTEGER, born_ns INTEGER, parent INTEGER, flags INTEGER, target BLOB);
    CREATE TABLE dentry(
      parent INTEGER, name BLOB, inode INTEGER, kind INTEGER, cookie INTEGER, PRIMARY KEY(parent, name)) WITHOUT ROWID;
    CREATE UNIQUE INDEX dentry_cookie ON dentry(parent, cookie);
    CREATE TABLE extent(
      inode INTEGER, offset INTEGER, length INTEGER, position INTEGER, record INTEGER, skip INTEGER,
      PRIMARY KEY(inode, offset)) WITHOUT ROWID;
    CREATE INDEX extent_position ON extent(position);
    CREATE TABLE attribute(inode INTEGER, name BLOB, value BLOB, PRIMARY KEY(inode, name)) WITHOUT ROWID;
    CREATE TABLE segment(number INTEGER PRIMARY KEY, live INTEGER);
    CREATE TABLE orphan(inode INTEGER PRIMARY KEY);
    CREATE TABLE slot(id BLOB PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE media(
      inode INTEGER PRIMARY KEY, state INTEGER, hash BLOB, kind INTEGER, width INTEGER, height INTEGER, orientation INTEGER,
      captured INTEGER, "offset" INTEGER, latitude INTEGER, longitude INTEGER, make TEXT, model TEXT, duration INTEGER,
      codec TEXT, small INTEGER, large INTEGER, reason TEXT);
    CREATE INDEX media_state ON media(state);
    CREATE INDEX media_hash ON media(hash) WHERE hash IS NOT NULL;
    """

  /// The catalog: the facts about photos and videos, and the names of each inode. All of it follows from the other
  /// tables and from the files, so a repair begins without it.
  static let catalog = """
    CREATE INDEX dentry_inode ON dentry(inode);
    CREATE INDEX dentry_directory ON dentry(inode) WHERE kind = 4;
    CREATE TABLE item(
      inode INTEGER PRIMARY KEY, version INTEGER, album INTEGER, name BLOB, names INTEGER, taken INTEGER,
      fraction INTEGER, kind INTEGER, flags INTEGER, rating INTEGER, size INTEGER, rights INTEGER, place INTEGER,
      camera INTEGER, lens INTEGER, duration INTEGER, latitude INTEGER, longitude INTEGER, look INTEGER, pixels BLOB,
      stack INTEGER, found BLOB, record BLOB);
    CREATE INDEX item_time ON item(
      taken DESC, fraction DESC, inode DESC, kind, flags, rating, album, rights, names, place, camera, lens, size,
      duration, latitude, longitude, name);
    CREATE INDEX item_look ON item(look) WHERE look IS NOT NULL;
    CREATE TABLE item_tag(tag INTEGER, inode INTEGER, PRIMARY KEY(tag, inode)) WITHOUT ROWID;
    CREATE TABLE term(id INTEGER PRIMARY KEY, kind INTEGER, text TEXT, UNIQUE(kind, text));
    CREATE TABLE sidecar(inode INTEGER PRIMARY KEY, version INTEGER, found BLOB);
    CREATE TABLE stale(inode INTEGER PRIMARY KEY, reason INTEGER);
    CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'ascii', columnsize = 0);
    """
}
