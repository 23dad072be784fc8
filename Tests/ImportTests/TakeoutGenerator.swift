import Catalog
import TestSupport

@testable import Import

/// Makes trees as Google Takeout does, after every rule, and says what belongs to what.
struct TakeoutGenerator {
  private(set) var inputs: [TakeoutInput] = []
  /// The path of the JSON of each file that is none, nil if it has none.
  private(set) var expected: [[UInt8]: [UInt8]?] = [:]
  private(set) var albums: Set<[UInt8]> = []
  /// How often each way of making files was taken.
  private(set) var taken: [Int: Int] = [:]
  private var numbers: SplitMix64
  private var directory = ""
  private var count = 0
  private let parts: Int

  private static let ways = 17
  private static let endings = [".jpg", ".JPG", ".jpeg", ".HEIC", ".png", ".dng", ".webp"]
  private static let words = ["IMG_", "PXL_", "été ", "Фото", "写真", "😀", "a.b ", "x-y_", "Ünï", "(9) ", "s"]

  init(seed: UInt64, files: Int) {
    numbers = SplitMix64(state: seed)
    parts = 1 + Int(seed % 5)
    let roots = ["Takeout/Google Photos/", "Takeout/Google Fotos/", "x/Takeout/Google 相册/", ""]
    let root = roots[Int(seed % UInt64(roots.count))]
    let years = ["Photos from 2019", "Fotos von 2020", "2021年の写真"]
    let named = ["Rome", "Été 2020", "Trash", "Untitled(1)"]
    for name in years + named where inputs.count < files {
      directory = root + name + "/"
      if name == "Rome" || name == "Été 2020" {
        let json = pick(["metadata.json", "Metadaten.json", "métadonnées.json", "метаданные.json"])
        put(json, title: name)
        albums.insert(Array((directory + json).utf8))
      }
      let end = name == named.last ? files : inputs.count + files / (years.count + named.count)
      while inputs.count < end { addGroup() }
    }
    inputs.shuffle(using: &numbers)
  }

  private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &numbers)] }

  private mutating func put(_ name: String, title: String? = nil) {
    inputs.append(
      TakeoutInput(
        path: Array((directory + name).utf8), part: Int.random(in: 0..<parts, using: &numbers),
        title: title.map { Array($0.utf8) }))
  }

  /// A file, and the JSON that it is to get.
  private mutating func put(file: String, json: String?) {
    put(file)
    expected[Array((directory + file).utf8)] = .some(json.map { Array((directory + $0).utf8) })
  }

  /// A JSON, with the title or, as when it could not be read, without.
  private mutating func put(json: String, title: String) {
    put(json, title: Bool.random(using: &numbers) ? title : nil)
  }

  private static func cut(_ text: String, _ most: Int) -> String {
    var units = 0
    var cut = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      units += UTF16.width(scalar)
      if units > most { break }
      cut.append(scalar)
    }
    return String(cut)
  }

  /// The JSON's name that Takeout makes for a file, today or in the past.
  private mutating func json(_ name: String, _ index: Int = 0) -> String {
    let number = index == 0 ? "" : "(\(index))"
    let suffix = Bool.random(using: &numbers) ? ".supplemental-metadata" : ""
    return Self.cut(name + suffix, TakeoutText.mostInSidecar) + number + ".json"
  }

  private func indexed(_ stem: String, _ ending: String, _ index: Int) -> String {
    stem + (index == 0 ? "" : "(\(index))") + ending
  }

  /// Files that belong together, whose names have nothing in common with others'.
  private mutating func addGroup() {
    count += 1
    let way = Int.random(in: 0..<Self.ways, using: &numbers)
    taken[way, default: 0] += 1
    let ending = pick(Self.endings)
    let start = "\(count)_" + pick(Self.words)
    let long = Self.cut(start + String(repeating: pick(["n", "ñ", "ж", "写"]), count: 60), 51 - ending.utf16.count)
    let middle = Self.cut(
      start + String(repeating: pick(["m", "ü"]), count: 40), Int.random(in: 12...40, using: &numbers))
    let stem = pick([start, middle])
    let index = Int.random(in: 1...3, using: &numbers)
    let suffix = pick(EditedSuffixes.all)
    let name = stem + ending
    let own = json(name)
    let numbered = json(name, index)
    switch way {
    case 0:
      put(file: name, json: own)
      put(json: own, title: name)
    case 1:  // Copies, each with its own, on either side.
      for copy in 0...index {
        let json = pick([json(name, copy), indexed(stem, ending, copy) + ".json"])
        put(file: indexed(stem, ending, copy), json: json)
        put(json: json, title: name)
      }
    case 2:  // A copy without the first.
      put(file: indexed(stem, ending, index), json: numbered)
      put(json: numbered, title: name)
    case 3:  // Cut names.
      let json = json(long + ending)
      put(file: long + ending, json: json)
      put(json: json, title: long + "andmore" + ending)
    case 4:
      let json = json(long + ending, index)
      put(file: indexed(long, ending, index), json: json)
      put(json: json, title: long + "andmore" + ending)
    case 5:  // The ending is missing.
      put(file: name, json: json(stem))
      put(json: expectedName(name), title: stem)
    case 6:  // Only the title says it.
      put(file: name, json: "json\(count).json")
      put("json\(count).json", title: name)
    case 7:
      put(file: "\(count)_a_b" + ending, json: "json\(count).json")
      put("json\(count).json", title: "\(count)/a&b" + ending)
    case 8:  // Live photos.
      put(file: stem + ".HEIC", json: json(stem + ".HEIC"))
      put(json: expectedName(stem + ".HEIC"), title: stem + ".HEIC")
      put(file: stem + pick([".MP4", ".mov"]), json: expectedName(stem + ".HEIC"))
    case 9:  // The video of a copy.
      put(file: indexed(stem, ".mp4", index), json: json(stem + ".HEIC", index))
      put(json: expectedName(indexed(stem, ".mp4", index)), title: stem + ".HEIC")
    case 10:  // Edited versions.
      put(file: name, json: own)
      put(json: own, title: name)
      put(file: stem + suffix + pick([ending, ".jpg"]), json: own)
    case 11:
      put(file: indexed(stem, ending, index), json: numbered)
      put(json: numbered, title: name)
      put(file: indexed(stem + suffix, ending, index), json: numbered)
    case 12:  // An edited version without its original.
      put(file: stem + suffix + ending, json: own)
      put(json: own, title: name)
    case 13:  // The suffix was cut, or cut off.
      let original = Self.cut(middle + String(repeating: "k", count: 60), 42)
      let json = json(original + ending)
      put(file: original + ending, json: json)
      put(json: json, title: original + ending)
      put(file: original + String(suffix.prefix(4)) + ending, json: json)
    case 14:
      let json = json(long + ending)
      put(file: long + ending, json: json)
      put(json: json, title: long + ending)
      put(file: indexed(long, ending, 1), json: json)
    case 15: put(file: name, json: nil)
    default: put(json: own, title: name)
    }
  }

  /// The name of the JSON that a file of this directory is to get.
  private func expectedName(_ file: String) -> String {
    let json = (expected[Array((directory + file).utf8)] ?? nil) ?? []
    return String(String(decoding: json, as: UTF8.self).dropFirst(directory.count))
  }
}
