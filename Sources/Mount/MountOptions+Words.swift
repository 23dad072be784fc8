extension MountOptions {
  /// Words that ask for the behaviour that agonyfs has anyway (no access times, the kernel checks modes) or concern
  /// only mount(8).
  static let withoutEffect: Set<String> = [
    "defaults", "default_permissions", "auto", "noauto", "nofail", "_netdev", "nouser", "noowner", "nogroup",
    "atime", "noatime", "diratime", "nodiratime", "relatime", "norelatime", "strictatime", "nostrictatime",
    "lazytime", "nolazytime", "silent", "loud", "iversion", "noiversion", "mand", "nomand",
  ]

  /// Options whose values are paths and so may hold any bytes.
  static let pathOptions: Set<String> = ["passfile", "password-file", "places", "fsname"]

  /// Whether an option is for other programs (`x-systemd.automount`); every file system ignores such options.
  static func isForOthers(_ name: String) -> Bool {
    name.hasPrefix("x-") || name.hasPrefix("X-")
  }

  /// The words of a comma-separated list, without empty ones.
  static func words(of list: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isEscaped = false
    for character in list.unicodeScalars {
      switch character {
      case _ where isEscaped:
        if character != "," && character != "\\" { word.unicodeScalars.append("\\") }
        word.unicodeScalars.append(character)
        isEscaped = false
      case "\\": isEscaped = true
      case ",":
        words.append(word)
        word = ""
      default: word.unicodeScalars.append(character)
      }
    }
    if isEscaped { word.unicodeScalars.append("\\") }
    words.append(word)
    return words.filter { !$0.isEmpty }
  }

  /// Parses a duration such as `90`, `90s`, `15m`, `2h` or `1d`. Throws `malformedDuration` for other texts and for
  /// more than ten years.
  package static func duration(_ text: String) throws(MountOptionError) -> Duration {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    var digits = text[...]
    var unit: Int64 = 1
    if let last = text.last, let seconds = units[last] {
      unit = seconds
      digits = text.dropLast()
    }
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int64(digits) else {
      throw .malformedDuration(text)
    }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
    guard !overflow, seconds <= 3650 * 86_400 else { throw .malformedDuration(text) }
    return .seconds(seconds)
  }

  /// The options for libfuse and fusermount3, as one `-o` list (`ByteText`).
  var libraryList: String {
    var words = [
      "default_permissions", "noatime", "max_read=\(SessionLimits.maximumRead)",
      "fsname=\(Self.escaped(sourceName))", "subtype=\(Self.escaped(subtype))",
      isReadOnly ? "ro" : "rw",
      allowsSetUser ? "suid" : "nosuid",
      allowsDevices ? "dev" : "nodev",
      allowsExecution ? "exec" : "noexec",
    ]
    if allowsOthers { words.append("allow_other") }
    if allowsRoot && !allowsOthers { words.append("allow_root") }
    if isSynchronous { words.append("sync") }
    if isDirectorySynchronous { words.append("dirsync") }
    return words.joined(separator: ",")
  }

  /// Escapes a value for an `-o` list.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      if character == "," || character == "\\" { escaped.unicodeScalars.append("\\") }
      escaped.unicodeScalars.append(character)
    }
    return escaped
  }
}
