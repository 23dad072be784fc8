internal import CStore
internal import ObjectStore

/// The XML in the body of a reply: a list of objects, the settings of a bucket, or an error.
final class ReplyBody {
  private(set) var list = ListedObjects()
  private(set) var settings: Set<BucketSetting> = []
  private(set) var errorCode: String?
  private(set) var errorRegion: String?
  private var object = ListedObjects.Object()
  private var hasTooMany = false

  /// Reads a body; nil if it is not XML within the bounds of `agonyfs_store_read_xml`.
  init?(of bytes: [UInt8]) {
    let context = unsafe Unmanaged.passUnretained(self)
    let failed = unsafe bytes.withUnsafeBytes { bytes in
      unsafe agonyfs_store_read_xml(bytes.baseAddress, bytes.count, context.toOpaque()) { context, path, text, count in
        guard let context = unsafe context, let path = unsafe path else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
        unsafe Unmanaged<ReplyBody>.fromOpaque(context).takeUnretainedValue()
          .add(String(cString: path), String(decoding: bytes, as: UTF8.self))
      }
    }
    if failed != 0 || hasTooMany { return nil }
  }

  private func add(_ path: String, _ text: String) {
    switch path {
    case "Error/Code": errorCode = text
    case "Error/Region": errorRegion = text
    case "ListBucketResult/IsTruncated": list.isTruncated = text == "true" ? true : text == "false" ? false : nil
    case "ListBucketResult/Contents/Key": object.name = text
    case "ListBucketResult/Contents/Size": object.size = text
    case "ListBucketResult/Contents/ETag": object.tag = text
    case "ListBucketResult/Contents":
      hasTooMany = hasTooMany || list.objects.count == ObjectLimits.mostEntries
      if !hasTooMany { list.objects.append(object) }
      object = ListedObjects.Object()
    default: addSetting(path, text)
    }
  }

  /// Engines name the outermost element in different ways.
  private func addSetting(_ path: String, _ text: String) {
    let names = path.split(separator: "/").dropFirst()
    if names == ["Status"], text == "Enabled" { settings.insert(.versioning) }
    // Without a default retention only objects that ask for it are locked.
    if names.suffix(3) == ["Rule", "DefaultRetention", "Mode"] { settings.insert(.objectLock) }
  }
}
