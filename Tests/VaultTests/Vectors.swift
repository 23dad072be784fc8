import Crypto
import FoundationEssentials

/// Reads the files in `Vectors`, which another program made.
enum Vectors {
  struct Slot: Decodable {
    var password, salt, vault, derived, slotIdentifier, secondSlotIdentifier, slotKey: String
    var associatedData, body, sealed: String
    var operations, memory: UInt64
    var segmentSize: Int
  }

  struct Log: Decodable {
    struct Record: Decodable {
      var offset, bodyLength: Int
      var chainAfter: String
    }
    var suite, spaceKey, branch, salt, segmentKey, chain, headState, headIdentifier, secondIdentifier: String
    var segmentSize, filePageSize: Int
    var records: [Record]
    /// From the first byte to the end of the last record, alignment filled with zeros.
    var segment: Data
  }

  struct Head: Decodable {
    var encoded: String
  }

  static func read<T: Decodable>(_ name: String, path: String = #filePath) throws -> T {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let data = try Data(contentsOf: URL(filePath: "/" + folder + "/Vectors/" + name + ".json"))
    return try JSONDecoder().decode(T.self, from: data)
  }
}
