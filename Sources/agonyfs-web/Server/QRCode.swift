internal import CQRCode

/// A QR code for the terminal.
enum QRCode {
  /// A code as lines of half blocks, dark on light; nil if the text is too long. With colours this does not depend on
  /// the terminal's colours. Without colours the text must be shown light on dark, as most terminals do.
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
        // Characters without colours are light.
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
