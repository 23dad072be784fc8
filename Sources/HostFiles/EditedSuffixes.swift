/// What programs put after the name of an original when they store an edited version beside it.
package enum EditedSuffixes {
  /// The suffixes in the languages of Google Takeout, in lower case.
  package static let all: [String] = [
    "-edited", "-edit", "-bearbeitet", "-modifié", "-modifiée", "-editado", "-editada", "-ha editado", "-ha editada",
    "-modificato", "-modificata", "-bewerkt", "-redigerad", "-redigeret", "-redigert", "-muokattu", "-edytowane",
    "-edytowany", "-upraveno", "-upravené", "-upravený", "-szerkesztett", "-editat", "-editată", "-düzenlendi",
    "-izmenjeno", "-uređeno", "-urejeno", "-redaguota", "-rediģēts", "-muudetud", "-изменено", "-измененный",
    "-відредаговано", "-змінено", "-редактирано", "-επεξεργασμένο", "-編集済み", "-已編輯", "-已修改", "-编辑", "-已编辑",
    "-수정됨", "-diedit", "-đã chỉnh sửa", "-แก้ไขแล้ว", "-נערך", "-معدل", "-effects", "-animation", "-collage", "-smile",
    "-mix",
  ].map { $0.lowercased() }
}
