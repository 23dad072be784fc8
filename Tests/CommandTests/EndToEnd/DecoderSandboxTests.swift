import TestSupport
import Testing

/// Commands that give photos to the image decoder where the kernel cannot confine it: strace has the kernel refuse the
/// filter of system calls.
@Suite(
  .enabled(
    if: (try? Outcome("/usr/bin/strace", arguments: ["-o", "/dev/null", "/bin/true"]).status) == 0,
    "needs strace, and leave to trace"))
struct DecoderSandboxTests {
  private static let start =
    #"""
    mkdir programs card
    cp "$AGONYFS" programs/agonyfs
    cat > programs/agonyfs-decoder << END
    #!/bin/sh
    exec /usr/bin/strace -f -qq -o /dev/null -e trace=seccomp -e inject=seccomp:error=EINVAL \
      '${AGONYFS%/*}/agonyfs-decoder'
    END
    chmod 755 programs/agonyfs-decoder
    unconfined() { "$W/programs/agonyfs" "$@"; }
    vips black card/a.jpg 640 480 --bands 3
    exiftool -q -overwrite_original -DateTimeOriginal='2019:08:15 12:00:00' card/a.jpg
    agonyfs mount --password-file password Vault Albums

    """#

  @Test func sorting() throws {
    try expectSuccess(
      Self.start + #"""
        says 1 'cannot confine the decoder' unconfined import --by-date card Albums
        test -z "$(find Albums -name a.jpg)"
        says 0 'not fully confined: .*no filter' unconfined import --by-date --decoder-sandbox preferred card Albums
        test -n "$(find Albums -path '*2019*' -name a.jpg)"
        """#)
  }

  @Test func archives() throws {
    try expectSuccess(
      Self.start + #"""
        (cd card && python3 -m zipfile -c ../card.zip a.jpg)
        says 1 'cannot confine the decoder' unconfined import card.zip Albums
        test -z "$(find Albums -name a.jpg)"
        says 0 'not fully confined: .*no filter' unconfined import --decoder-sandbox preferred card.zip Albums
        test -n "$(find Albums -name a.jpg)"
        """#)
  }

  @Test func exportWithoutMetadata() throws {
    try expectSuccess(
      Self.start + #"""
        cp card/a.jpg Albums/
        says 1 'cannot confine the decoder' unconfined export --strip all Albums stripped
        test ! -e stripped
        says 0 'not fully confined: .*no filter' \
          unconfined export --strip all --decoder-sandbox preferred Albums stripped
        test -e stripped/a.jpg
        # What needs no decoder needs no confinement of it.
        unconfined export Albums whole
        cmp card/a.jpg whole/a.jpg
        """#)
  }
}
