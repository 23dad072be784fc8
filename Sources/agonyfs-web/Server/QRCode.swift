internal import CQRCode

/// A QR code for the terminal.
enum QRCode {
  /// Lines of half blocks, dark on light whatever the colours of the terminal; nil if the text is too long.
  static func lines(_ text: String) -> [String]? {
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
        switch (isDark(column, row), isDark(column, row + 1)) {
        case (false, false): " "
        case (true, false): "▀"
        case (false, true): "▄"
        case (true, true): "█"
        }
      }
      return "\u{1B}[30;107m" + blocks.joined() + "\u{1B}[0m"
    }
  }
}
