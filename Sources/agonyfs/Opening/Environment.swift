internal import Glibc

enum Environment {
  /// The value of a variable; nil if it is unset or empty.
  static subscript(_ name: String) -> String? {
    let value = unsafe getenv(name).map { unsafe String(cString: $0) }
    return value?.isEmpty == true ? nil : value
  }

  /// Searches PATH for a program, as a shell does; nil if there is none.
  static func program(_ name: String) -> String? {
    for folder in (self["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":") where folder.hasPrefix("/") {
      let path = folder + "/" + name
      if unsafe access(path, X_OK) == 0 { return path }
    }
    return nil
  }
}
