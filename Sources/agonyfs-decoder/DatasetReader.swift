internal import CDecoder
internal import Catalog

/// Reads IPTC datasets with libiptcdata.
struct DatasetReader {
  private var texts: [DatasetKey: [String]] = [:]

  /// Reads a block of datasets, or Photoshop's image resources, which contain one.
  init(_ block: [UInt8]) {
    if block.isEmpty { return }
    let found = unsafe MetadataTexts { unsafe agonyfs_iptc_read(block, block.count, $0) }
    for (key, value) in found.list where key.count == 2 {
      texts[DatasetKey(key[0], key[1]), default: []].append(MetadataTexts.text(value))
    }
  }

  func find(_ key: DatasetKey) -> [String] { texts[key] ?? [] }
}
