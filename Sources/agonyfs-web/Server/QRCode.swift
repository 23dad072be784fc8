internal import CQRCode

/// A QR code for the terminal.
enum QRCode {
  /// Lines of half blocks, dark on light; nil if the text is too long. With colours they are so whatever those of the
  /// terminal are; without, where what is written is light on dark, as a log in most terminals.
  static func lines(_ text: String, inColours: Bool) -> [String]? {
    var work = [UInt8](repeating: 0, count: 4096)
    var code = [UInt8](repeating: 0, count: 4096)
    let done = unsafe qrcodegen_encodeText(
      text, &work, &code, qrcodegen_Ecc_LOW, CInt(qrcodegen_VERSION_MIN), CInt(qrcodegen_VERSION_MAX),
      qrcodegen_Mask_AUTO, true)
    guard done else { return nil }
    let size = unsafe qrcodegen_getSize(&code)
    let border: CInt = 2
    func isDark(_ column: CInt, _ row: CInt) -> Bool { unsafe qrcodegen_getModule(&code, column, row) }
    return stride(from: -border, to: size + border, by: 2).map { row in
      let blocks = (-border..<size + border).map { column in
        // What is written without colours is light.
        switch (isDark(column, row) == inColours, isDark(column, row + 1) == inColours) {
        case (false, false): " "
        case (true, false): "▀"
        case (false, true): "▄"
        case (true, true): "█"
        }
      }
      return inColours ? "\u{1B}[30;107m" + blocks.joined() + "\u{1B}[0m" : blocks.joined()
    }
  }
}
