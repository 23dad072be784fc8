/// What programs put after the name of an original when they store an edited version beside it.
package enum EditedSuffixes {
  /// The suffixes in the languages of Google Takeout, in lower case. Each has one hyphen, its first letter.
  package static let all: [String] = [
    "-edited", "-edit", "-bearbeitet", "-modifié", "-modifiée", "-editado", "-editada", "-ha editado", "-ha editada",
    "-modificato", "-modificata", "-bewerkt", "-redigerad", "-redigeret", "-redigert", "-muokattu", "-edytowane",
    "-edytowany", "-upraveno", "-upravené", "-upravený", "-szerkesztett", "-editat", "-editată", "-düzenlendi",
    "-izmenjeno", "-uređeno", "-urejeno", "-redaguota", "-rediģēts", "-muudetud", "-изменено", "-измененный",
    "-відредаговано", "-змінено", "-редактирано", "-επεξεργασμένο", "-編集済み", "-已編輯", "-已修改", "-编辑", "-已编辑",
    "-수정됨", "-diedit", "-đã chỉnh sửa", "-แก้ไขแล้ว", "-נערך", "-معدل", "-effects", "-animation", "-collage", "-smile",
    "-mix",
  ]
  private static let known = Set(all)

  /// The stem of the original, if this one, in lower case, ends with a suffix; however its accents are written.
  package static func original(ofStem stem: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let hyphen = stem.lastIndex(of: UInt8(ascii: "-")), hyphen > stem.startIndex,
      known.contains(String(decoding: stem[hyphen...], as: UTF8.self))
    else { return nil }
    return stem[..<hyphen]
  }
}
