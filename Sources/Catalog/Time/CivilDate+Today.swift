internal import Glibc

extension CivilDate {
  /// The current day in this machine's time zone.
  package static func today() -> CivilDate? {
    var now = time(nil)
    var local = unsafe tm()
    guard unsafe localtime_r(&now, &local) != nil else { return nil }
    return unsafe CivilDate(year: Int(local.tm_year) + 1900, month: Int(local.tm_mon) + 1, day: Int(local.tm_mday))
  }
}
