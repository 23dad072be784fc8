internal import Dispatch
internal import Foundation
internal import WebAccess

/// The browser of this machine.
enum Browser {
  /// Opens a URL. Other users can see the arguments of programs, so the browser gets the path of a file that redirects
  /// to the URL and that only this user may read.
  static func open(_ url: String, _ folder: PrivateFolder) {
    let page =
      "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0;url=\(url)\"><title>agonyfs</title>"
    guard let path = folder.write(page, to: "open.html") else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/xdg-open")
    process.arguments = [path]
    process.standardInput = FileHandle.nullDevice
    if (try? process.run()) == nil { Output.note("xdg-open is not installed; open the address yourself.") }
  }

  /// Opens a URL with the program in `BROWSER`, or else with xdg-open. The URL works only for the user of this process.
  static func choose(at url: String) {
    let known = ProcessInfo.processInfo.environment["BROWSER"]?.split(separator: ":").first
    var words = (known ?? "xdg-open").split(separator: " ").map { $0 == "%s" ? url : String($0) }
    if !words.contains(url) { words.append(url) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardInput = FileHandle.nullDevice
    // Standard output has to contain only the chosen paths.
    process.standardOutput = FileHandle.standardError
    process.terminationHandler = { if $0.terminationStatus != 0 { Self.sayFailed(url) } }
    if (try? process.run()) == nil { sayFailed(url) }
  }

  private static func sayFailed(_ url: String) {
    Output.note("No browser was started; open this address on this machine, as the same user: \(url)")
  }
}

/// Runs `body` on a new thread, because it waits for the user.
func startThread(_ body: @escaping @Sendable () -> Void) { Thread { body() }.start() }
