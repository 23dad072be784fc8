// Makes the thumbnails of one file, and stores them.
//
// Invariants
// 1. A file that is being looked at stays in memory, and counts as open.
// 2. Derivatives are stored only if the content has not changed since (`isMediaPending` is still false).
// 3. Only a thread that asks for a derivative waits for the decoder.
// 4. A content that does not begin like a photo or video is never given to a decoder.
// 5. A content is hashed before it is decoded, unless it is large. A file whose hash is that of a content being
//    decoded waits for that one, but its thread does not (FilesUnderWay.swift).

internal import Albums
internal import Catalog
internal import Glibc
internal import Index
internal import Logging
internal import Media
internal import System
internal import SystemPackage
internal import Vault

/// A thread's look at a file, and the sizes it must make.
struct ThumbnailLook {
  let inode: Inode
  /// The row of its content when the look began.
  let before: MediaRecord?
  let sizes: Set<DerivativeSize>
  /// Whether the sizes are made without a demand.
  let isEager: Bool
  /// `ThumbnailState.pauses` when the look began.
  let attempt: Int
}

/// Makes thumbnails of a file system's photos and videos.
package struct Thumbnailer: Sendable {
  let fileSystem: FileSystem
  /// A larger file, in bytes, is hashed only after the decoder found it to be a video or photo.
  private static let earlyHashLimit: Int64 = 64 << 20

  /// The work of one of the threads that make thumbnails.
  func run() {
    guard let settings = fileSystem.library.options.thumbnails else { return }
    // On Linux this sets the priority of the calling thread alone, so that reads and writes go first.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    fileSystem.locked { $0.mediaUpdates.runThumbnailer(settings) }
  }

  /// Stops making thumbnails. Unfinished ones are abandoned, and made at the next mount.
  func end() {
    fileSystem.locked { files in
      files.thumbnails.end()
      files.signals[.sinkWork].broadcast()
    }
    fileSystem.library.options.thumbnails?.maker.stop()
  }

  enum Outcome {
    /// The facts of the content, and the derivatives.
    case made(Derivatives, hash: [UInt8]?)
    /// The same content was examined before.
    case duplicate(hash: [UInt8])
    /// No derivative can be made.
    case nothing(MediaRecord.State, reason: String?)
    /// The file is looked at again, because the decoder is unavailable or the content has changed.
    case later
    /// Another thread looks at the same content; this file waits until that is done.
    case waiting
    /// The decoder was killed while it worked on the file.
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

  /// Whether a content may be a photo or video. Other contents are not given to a decoder, because a decoder process
  /// serves few files before another has to be started.
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

  /// Records why nothing can be made for now.
  ///
  /// - Parameter attempt: `ThumbnailState.pauses` when the failed attempt began.
  func pause(_ reason: String, of attempt: Int) {
    let isNew = fileSystem.locked { $0.thumbnails.pause(reason, of: attempt, at: monotonicTime()) }
    if isNew { fileSystem.logger.warning("thumbnails are paused: \(reason)") }
  }

  private enum Claim {
    /// The calling thread decodes it, and no other thread does.
    case reserved
    /// It was examined before, and its derivatives exist.
    case known
    /// Another thread decodes it, and the file waits.
    case underWay
    /// The file's content has changed since, or the file is gone.
    case outOfDate
  }

  /// Decides which thread decodes a content, and for which file.
  private func claim(_ hash: [UInt8], for inode: Inode) -> Claim {
    fileSystem.locked { files -> Claim in
      if inode.isMediaPending || inode.record.links == 0 { return .outOfDate }
      let record = try? files.result(of: files.index.media.row(withHash: hash))
      if let record, files.mediaUpdates.canShare(record) { return .known }
      return files.thumbnails.underWay.reserve(hash, for: inode.number) ? .reserved : .underWay
    }
  }

  /// Stores an outcome, unless the content has changed since.
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
      // There is no room, or the file system may not be changed: the file keeps waiting.
      pause("they cannot be stored: \(error)", of: look.attempt)
    }
  }
}

extension MediaUpdates {
  /// Stores the outcome of a look at a content that is still the file's present one. The caller has reserved the
  /// room.
  fileprivate func keep(_ outcome: Thumbnailer.Outcome, of inode: Inode) throws(Errno) {
    // Not the row from the beginning of the look: its derivatives may have been deleted since.
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
      // Derivatives made before stay.
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
