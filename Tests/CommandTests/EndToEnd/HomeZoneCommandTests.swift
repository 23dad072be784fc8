import TestSupport
import Testing

/// `agonyfs zone` with real mounts: what is known in UTC alone has the clock of the space's home zone.
@Suite struct HomeZoneCommandTests {
  @Test func anEveningStaysInItsYearWhereverTheLaptopIs() throws {
    try expectSuccess(
      #"""
      agonyfs info --password-file password Vault | grep -q '^home zone    none yet'
      export TZ=America/New_York
      agonyfs mount --password-file password Vault Albums
      tells 0 '^America/New_York$' agonyfs zone Albums
      ffmpeg -v error -f lavfi -i testsrc=size=320x240:rate=25:duration=1 -pix_fmt yuv420p \
        -metadata creation_time=2025-01-01T02:00:00Z Albums/clip.mp4
      agonyfs thumbnails Albums > /dev/null
      # taken TIME
      taken() { test "$(agonyfs list --format '{taken} {zoneSource}' Albums name:clip)" = "$1"; }
      taken '2024-12-31T21:00:00-05:00 home'
      test -f Albums/.agonyfs/views/by-date/2024/12/31/clip.mp4
      agonyfs show Albums/clip.mp4 > shown
      grep -Eq "^  taken +2024-12-31 21:00:00-05:00 +from the file's header, zone from the space's home zone$" shown
      grep -Eq "^  zone +America/New_York +from the space's home zone$" shown
      agonyfs unmount Albums
      # On another machine, and with other photos, it stays.
      export TZ=Asia/Tokyo
      agonyfs mount --password-file password Vault Albums
      tells 0 '^America/New_York$' agonyfs zone Albums
      taken '2024-12-31T21:00:00-05:00 home'
      says 2 'is not in the zone database, and nothing was changed' agonyfs zone Albums Europe/Nowhere
      says 2 'is not in the zone database' agonyfs zone Albums ../../etc/passwd
      says 14 'is not in a mounted space' agonyfs zone . Europe/Berlin
      taken '2024-12-31T21:00:00-05:00 home'
      agonyfs zone Albums Asia/Tokyo
      taken '2025-01-01T11:00:00+09:00 home'
      test -f Albums/.agonyfs/views/by-date/2025/01/01/clip.mp4
      not test -e Albums/.agonyfs/views/by-date/2024
      agonyfs info --password-file password Vault | grep -qx 'home zone    Asia/Tokyo'
      agonyfs unmount Albums
      export TZ=America/New_York
      agonyfs mount -o ro --password-file password Vault Albums
      tells 0 '^Asia/Tokyo$' agonyfs zone Albums
      says 1 'read-only' agonyfs zone Albums Europe/Berlin
      taken '2025-01-01T11:00:00+09:00 home'
      agonyfs unmount Albums
      test "$(agonyfs list --format '{taken}' --password-file password Vault)" = 2025-01-01T11:00:00+09:00
      """#)
  }
}
