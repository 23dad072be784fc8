import Glibc
import Testing

/// Queries to a real mount, answered once more by a Python program from what exiftool says about the same files.
@Suite struct CommandQueryTests {
  private static let folder =
    #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/Queries"

  @Test func answersAreThoseOfExiftool() throws {
    try expectSuccess(
      #"""
      python3 '\#(Self.folder)/library.py' library
      agonyfs mount --password-file password Vault Albums
      cp -a library/. Albums/
      agonyfs thumbnails Albums
      python3 '\#(Self.folder)/answers.py' "$AGONYFS" Albums library
      agonyfs unmount Albums
      # And without a mount.
      agonyfs list --password-file password Vault paris date:2019 'rating:>3' -type:video > found
      agonyfs mount --password-file password Vault Albums
      agonyfs list Albums paris date:2019 'rating:>3' -type:video | sed 's:^Albums/::' | cmp - found
      test -s found
      """#)
  }

  private static let photos = folder + "/../../../shared/photos"
  private static let hasPhotos = unsafe access(photos, R_OK) == 0

  /// Photos of many cameras, as they are.
  @Test(.enabled(if: hasPhotos, "needs ../shared/photos")) func answersAboutRealPhotosAreThoseOfExiftool() throws {
    try expectSuccess(
      #"""
      agonyfs mount --password-file password Vault Albums
      cp -r '\#(Self.photos)/.' Albums/
      agonyfs thumbnails Albums
      python3 '\#(Self.folder)/answers.py' "$AGONYFS" Albums '\#(Self.photos)' real
      """#)
  }
}
