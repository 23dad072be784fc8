import Testing

@testable import Import

/// A file as it is given to a tree.
struct TakeoutInput: Hashable {
  var path: [UInt8]
  var part = 0
  var title: [UInt8]?

  /// The same file: more slashes make no difference, nor does a title without letters.
  var normal: TakeoutInput {
    let names = path.split(separator: 0x2F, omittingEmptySubsequences: true)
    return TakeoutInput(
      path: Array(names.joined(separator: [0x2F])) + (path.last == 0x2F && !names.isEmpty ? [0x2F] : []), part: part,
      title: title == [] ? nil : title)
  }

  var isJSON: Bool { TakeoutName.isJSON(Array(path[((path.lastIndex(of: 0x2F) ?? -1) + 1)...])) }
}

/// What became of a file, without numbers of files.
struct TakeoutResult: Hashable {
  var input: TakeoutInput
  var json: TakeoutInput?
  var state: String
}

extension TakeoutMatches {
  static func of(_ inputs: [TakeoutInput]) -> TakeoutMatches {
    var tree = TakeoutTree()
    for (number, input) in inputs.enumerated() {
      #expect(tree.add(path: input.path, part: input.part, title: input.title) == number)
    }
    return tree.matched()
  }

  func results(_ inputs: [TakeoutInput]) -> [TakeoutResult] {
    zip(inputs, states).map { input, state in
      guard case .matched(let json, let rule) = state else {
        return TakeoutResult(input: input.normal, json: nil, state: "\(state)")
      }
      return TakeoutResult(input: input.normal, json: inputs[json].normal, state: "\(rule)")
    }
  }

  /// Checks that each file has one state of those that it may have, and that all states agree.
  func checkAllAccountedFor(_ inputs: [TakeoutInput]) {
    #expect(states.count == inputs.count && counts.total == inputs.count && directoryOfFile.count == inputs.count)
    var uses = [Int](repeating: 0, count: inputs.count)
    var agrees = true
    for (input, state) in zip(inputs, states) {
      switch state {
      case .matched(let json, _):
        agrees = agrees && !input.isJSON && inputs[json].isJSON
        uses[json] += 1
      case .unmatched: agrees = agrees && !input.isJSON
      case .used, .albumMetadata, .accountMetadata, .unused: agrees = agrees && input.isJSON
      }
    }
    for (state, uses) in zip(states, uses) {
      if case .used(let files) = state {
        agrees = agrees && files == uses && uses > 0
      } else {
        agrees = agrees && uses == 0
      }
    }
    #expect(agrees)
    #expect(order.sorted() == inputs.indices.filter { !inputs[$0].isJSON })
    #expect(directoryOfFile.allSatisfy { directories.indices.contains(Int($0)) })
    #expect(zip(directories, directories.dropFirst()).allSatisfy { $0.path.lexicographicallyPrecedes($1.path) })
  }
}
