import FoundationEssentials
import Storage
import System
import TestSupport
import Testing

@testable import agonyfs

/// What `check --json` promises to other programs.
struct CheckAnswer: Decodable {
  struct Problem: Decodable {
    var path: String?
    var problem: String
  }
  var isClean: Bool
  var readData: Bool
  var notes: [String]
  var files: Int
  var directories: Int
  var others: Int
  var dataBytes: Int64
  var readBytes: Int64
  var stateNumber: UInt64
  var lastChange: Int64?
  var problems: [Problem]
}

/// What `info --json` promises to other programs.
struct InfoAnswer: Decodable {
  struct Derivation: Decodable {
    var algorithm: String
    var operations: UInt64
    var memory: UInt64
  }
  struct Vault: Decodable {
    var path: String
    var format: Int
    var identifier: String
    var segmentSize: Int
    var files: Int
    var bytes: Int64
    var isReadOnly: Bool
    var keyDerivations: [Derivation]
  }
  struct Space: Decodable {
    var cipher: String
    var files: Int64
    var dataBytes: Int64
    var storedBytes: Int64
    var indexBytes: Int64
    var thumbnails: Int64
    var thumbnailsPending: Int64
    var thumbnailsFailed: Int64
    var homeZone: String?
    var passwords: Int
  }
  struct Host: Decodable {
    var isLocal: Bool
    var lacks: [String]
  }
  var vault: Vault
  var host: Host
  var space: Space
  var decoder: String
}

enum JSON {
  static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }
}

/// Figures for other programs.
@Suite struct JSONTests {
  @Test func figuresOfASpace() throws {
    let workspace = try Workspace.withVault("--segment-size 1M --cipher xchacha20-poly1305")
    try expectSuccess(
      workspace,
      """
      agonyfs mount --password-file password Vault Albums
      mkdir Albums/album
      head -c 100000 /dev/urandom > Albums/album/photo
      ln -s photo Albums/album/link
      agonyfs unmount Albums
      """)
    let info = try JSON.decode(
      InfoAnswer.self, try workspace.shell("agonyfs info --json --password-file password Vault").output)
    #expect(info.vault.path == workspace.at("Vault"))
    #expect(info.vault.format == 2)
    #expect(info.vault.identifier.count == 32)
    #expect(info.vault.segmentSize == 1 << 20)
    #expect(info.vault.bytes == Int64(info.vault.files) << 20)
    #expect(!info.vault.isReadOnly)
    #expect(info.vault.keyDerivations.map(\.memory) == [64 << 20])
    #expect(Set(info.host.lacks).isSubset(of: HostAbility.allCases.map(\.rawValue)))
    #expect(info.space.cipher == "xchacha20-poly1305")
    #expect(info.space.files == 4)
    #expect(info.space.dataBytes == 100_000)
    #expect(info.space.storedBytes > 100_000)
    #expect(info.space.passwords == 1)
    #expect(info.space.homeZone != nil)
    // The file is no photo, whether it was looked at yet or not.
    #expect(info.space.thumbnails == 0 && info.space.thumbnailsFailed == 0 && info.space.thumbnailsPending <= 1)
    #expect(info.decoder.contains("Landlock"))

    let check = try JSON.decode(
      CheckAnswer.self, try workspace.shell("agonyfs check --json --read-data --password-file password Vault").output)
    #expect(check.isClean)
    #expect(check.readData)
    #expect(check.notes == [])
    #expect(check.files == 1)
    #expect(check.directories == 2)
    #expect(check.others == 1)
    #expect(check.dataBytes == 100_000)
    #expect(check.readBytes == 100_000)
    #expect(check.problems.isEmpty)
    let now = timeOfDay().seconds
    #expect(try #require(check.lastChange) <= now && now - #require(check.lastChange) < 3600)
    let words = LocalTime.words(try #require(check.lastChange))
    let said = try workspace.shell("agonyfs check --password-file password Vault").output
    #expect(said.contains("This is state number \(check.stateNumber), changed last on \(words).\n"), "\(said)")
    // Each visit that changes something has higher numbers.
    try expectSuccess(
      workspace,
      "agonyfs mount --password-file password Vault Albums; touch Albums/file; agonyfs unmount Albums")
    let later = try JSON.decode(
      CheckAnswer.self, try workspace.shell("agonyfs check --json --password-file password Vault").output)
    #expect(later.stateNumber > check.stateNumber)
  }

  @Test func timesInWords() throws {
    #expect(LocalTime.words(.max) == "second \(Int64.max) since 1970")
    #expect(LocalTime.words(1_699_963_200).hasPrefix("Tuesday, 14 November 2023, "))
  }
}
