// Having thumbnails made of one file, and keeping them.
//
// Invariants
// 1. A file that is being looked at stays in memory, and counts as open.
// 2. What was made is kept only when the content did not change meanwhile (`isMediaPending` is still false).
// 3. Only those who ask for a derivative wait for the decoder.
// 4. A content that begins as no photo or video goes to no decoder.
// 5. A content is hashed before it is decoded, if it is not large. What has the hash of one that is being decoded waits
//    for that one, but its thread does not (FilesUnderWay.swift).

internal import Albums
internal import Catalog
internal import Glibc
internal import Index
internal import Logging
internal import Media
internal import System
internal import SystemPackage
internal import Vault

/// A file that a thread looks at, and what for.
struct ThumbnailLook {
  let inode: Inode
  /// What was known of its content as the look began.
  let before: MediaRecord?
  let sizes: Set<DerivativeSize>
  /// Whether nobody asked for the sizes.
  let isEager: Bool
  /// `ThumbnailState.pauses` as the look began.
  let attempt: Int
}

/// Makes thumbnails of a file system's photos and videos.
package struct Thumbnailer: Sendable {
  let fileSystem: FileSystem
  /// A larger file, in bytes, is hashed only after it was found to be a video or photo.
  private static let earlyHashLimit: Int64 = 64 << 20

  /// The work of one of the threads that make thumbnails.
  func run() {
    guard let settings = fileSystem.library.options.thumbnails else { return }
    // Of the calling thread alone: reading and writing go first.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    fileSystem.locked { $0.mediaUpdates.runThumbnailer(settings) }
  }

  /// Stops making thumbnails. What is under way is abandoned, and made at the next mount.
  func end() {
    fileSystem.locked { files in
      files.thumbnails.end()
      files.signals[.sinkWork].broadcast()
    }
    fileSystem.library.options.thumbnails?.maker.stop()
  }

  enum Outcome {
    /// Its facts, and what was made of it.
    case made(Derivatives, hash: [UInt8]?)
    /// The same content was looked at before.
    case duplicate(hash: [UInt8])
    /// There is nothing to be made.
    case nothing(MediaRecord.State, reason: String?)
    /// It is looked at again, since the decoder cannot be had now or the content has changed.
    case later
    /// Another thread looks at the same content, and this file was put aside until that is done.
    case waiting
    /// The decoder was ended in the middle of it.
    case killed
  }

  func work(on look: ThumbnailLook, _ source: FileSource, _ settings: ThumbnailOptions) -> Outcome {
    if source.size == 0 { return .nothing(.other, reason: nil) }
    do throws(Errno) {
      if try !mayBeMedia(source, settings.maker) { return .nothing(.other, reason: nil) }
      var hash = look.before?.hash
      var content: any MediaSource = source
      if hash == nil, source.size <= Self.earlyHashLimit {
        let found = try hashedContent(of: source)
        switch claim(found.hash, for: look.inode) {
        case .reserved: break
        case .known: return .duplicate(hash: found.hash)
        case .underWay: return .waiting
        case .outOfDate: return .later
        }
        hash = found.hash
        content = found.content
      }
      do throws(DecoderError) {
        let made = try settings.maker.derive(look.sizes, eagerly: look.isEager, from: content)
        return .made(made, hash: try? hash ?? contentHash(of: source.inode))
      } catch {
        return outcome(of: error, look)
      }
    } catch {
      return .nothing(.failed, reason: "its data cannot be read")
    }
  }

  /// Whether a content may be a photo or video. What begins as none needs no decoder, which serves few files before
  /// another process has to be started.
  private func mayBeMedia(_ source: FileSource, _ maker: any DerivativeMaker) throws(Errno) -> Bool {
    var beginning = [UInt8](repeating: 0, count: MediaKind.beginningSize)
    let count = try unsafe beginning.withUnsafeMutableBufferPointer { buffer throws(Errno) in
      try unsafe source.read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
    }
    return unsafe count < beginning.count || beginning.withUnsafeBytes { unsafe maker.mayBegin(with: $0) }
  }

  private func outcome(of error: DecoderError, _ look: ThumbnailLook) -> Outcome {
    switch error {
    case .notMedia: return .nothing(.other, reason: nil)
    case .undecodable(let reason): return .nothing(.failed, reason: reason)
    case .tooLarge: return .nothing(.failed, reason: "it has too many pixels")
    case .crashed: return .nothing(.failed, reason: "the decoder crashed on it")
    case .killed: return .killed
    case .timedOut: return .nothing(.failed, reason: "the decoder took too long")
    case .source: return .nothing(.failed, reason: "its data cannot be read")
    case .unavailable(let reason):
      pause(reason, of: look.attempt)
      return .later
    }
  }

  /// Notes why nothing can be made for now.
  ///
  /// - Parameter attempt: `ThumbnailState.pauses` as what failed was begun.
  func pause(_ reason: String, of attempt: Int) {
    let isNew = fileSystem.locked { $0.thumbnails.pause(reason, of: attempt, at: monotonicTime()) }
    if isNew { fileSystem.logger.warning("thumbnails are paused: \(reason)") }
  }

  private enum Claim {
    /// The calling thread decodes it, and no other.
    case reserved
    /// It was looked at before, and what was made of it is there.
    case known
    /// Another thread decodes it, and the file waits.
    case underWay
    /// The file has another content by now, or is gone.
    case outOfDate
  }

  /// Settles which thread decodes a content, and for which file.
  private func claim(_ hash: [UInt8], for inode: Inode) -> Claim {
    fileSystem.locked { files -> Claim in
      if inode.isMediaPending || inode.record.links == 0 { return .outOfDate }
      let record = try? files.result(of: files.index.media.row(withHash: hash))
      if let record, files.mediaUpdates.canShare(record) { return .known }
      return files.thumbnails.underWay.reserve(hash, for: inode.number) ? .reserved : .underWay
    }
  }

  /// Keeps an outcome, unless the content has changed meanwhile.
  func keep(_ outcome: Outcome, of look: ThumbnailLook) {
    switch outcome {
    case .later, .waiting: return
    case .made, .duplicate, .nothing, .killed: break
    }
    let inode = look.inode
    if case .made(let made, _) = outcome, let found = try? FactList(decoding: made.found) {
      fileSystem.cataloguer.loadPlaces(of: found)
    } else {
      fileSystem.cataloguer.loadPlaces()
    }
    do throws(Errno) {
      try fileSystem.changing { files throws(ChangeError) in
        if inode.isMediaPending || inode.record.links == 0 || files.thumbnails.isEnding { return }
        if case .made(let made, _) = outcome {
          let bytes = Int64((made.small?.count ?? 0) + (made.large?.count ?? 0))
          try files.requireRoom(for: bytes + CatalogUpdates.roomForCatalog)
        }
        try ChangeError.result(of: files.mediaUpdates.keep(outcome, of: inode))
      }
    } catch {
      // No room, or nothing may be changed: the file waits on.
      pause("they cannot be stored: \(error)", of: look.attempt)
    }
  }
}

extension MediaUpdates {
  /// Notes what came of a look at a content that is the file's present one. There is room for it.
  fileprivate func keep(_ outcome: Thumbnailer.Outcome, of inode: Inode) throws(Errno) {
    // Not as it was when the look began: what was made before may have been thrown away since.
    let before = try files.result(of: files.index.media.row(inode.number))
    var record = MediaRecord(inode: inode.number, state: .known)
    var outcome = outcome
    var found: FactList?
    if case .killed = outcome {
      if let delay = files.thumbnails.noteKill(inode.number) {
        inode.contentChanged = monotonicTime() + delay
        return
      }
      outcome = .nothing(.failed, reason: "the decoder was killed repeatedly while working on it")
    }
    switch outcome {
    case .later, .waiting, .killed: return
    case .nothing(let state, let reason):
      // What could be made before stays.
      if before?.state == .known, let before { record = before } else { record.state = state }
      record.reason = reason
    case .duplicate(let hash):
      let known = try files.result(of: files.index.media.row(withHash: hash))
      guard let known, share(known) else { return }
      dropLinks(of: before)
      record = known
      record.inode = inode.number
      found = try files.catalogUpdates.catalogTwin(known.inode, of: inode)
    case .made(let made, let hash):
      if let hash, let known = try files.result(of: files.index.media.row(withHash: hash)),
        known.inode != inode.number
      {
        _ = try files.catalogUpdates.catalogTwin(known.inode, of: inode)
      }
      found = try? FactList(decoding: made.found)
      record.hash = hash
      record.kind = Int64(made.facts.kind.rawValue)
      (record.width, record.height) = (Int64(made.facts.width), Int64(made.facts.height))
      record.small = before?.small
      record.large = before?.large
      if record.small == nil, let small = made.small { record.small = try files.makeNameless(holding: small) }
      if record.large == nil, let large = made.large { record.large = try files.makeNameless(holding: large) }
    }
    try files.result(of: files.index.media.setMedia(record))
    try files.catalogUpdates.noteLookedAt(inode, record.state, found)
    files.thumbnails.noteSuccess()
  }
}
