/// The pages of `agonyfs help` that belong to no command.
extension HelpText {
  static let queries = """
    A query is a list of conditions, which must all hold. Case and accents do not count. The shell has its own uses \
    for spaces and < > | * ( ) " & ; so put a condition that has one of them in single quotes, or the whole query. \
    Only is:trashed finds photos in the trash.

      paris 2019            both words, in paths, titles, captions, tags, people
                            or places
      paris | rome          at least one of them
      -rome                 not this word
      paris | rome -dog     one of the first two, and no dog
      -(paris rome)         not both; ( ) makes one condition of several
      "tower at night"      words in this order
      eiff*                 the beginning of a word
      date:2019             also 2019-07, 2019-07-14, 2018..2020, >2019, today,
                            yesterday, or *-12-24 for each year's
      before:2019           before it begins; after:2019 is after it ends
      date:1953             photos of which only the year is known, too
      place:paris           town, region or country; region:bavaria country:fr
      near:48.85,2.35,5km   latitude, longitude, distance in m, km or mi
      camera:iphone         words of maker or model; also lens:
      type:photo            no videos; or video, jpeg, png, gif, webp, tiff, heic,
                            avif, jxl, raw, mp4, mov, mkv, webm, avi, 3gp, mts,
                            mpg, wmv, flv, ogv, bmp
      rating:>3             stars; also >=3, 5, 2..4; 0 is unrated
      tag:Family            a tag, or one below it; tag:a|b is one of two
      person:anna           also title: caption: name:
      x.customer:4711       a field of your own; also has:x.customer
      album:Iceland         a directory of this name, or below one; begin with a
                            slash for a path from the root: album:/2019/Iceland
      size:>10M             also width: height: megapixels: altitude:
      duration:<60s         of a video; also codec: fps:
      aperture:2.8          also exposure:1/250 focal:50 iso: hash:
      is:favourite          or live, motion, burst, raw, stacked, edited,
                            duplicate, panorama, cover, rejected, trashed
      has:gps               or time, month, day, zone, place, title, caption,
                            tags, people, rating, camera, lens, sidecar,
                            altitude

    Dates are those of the clock where the photo was taken. After = the whole value is compared: tag:=Places finds \
    nothing below that tag; album:=2019; 'person:="Anna Schmidt"'. A query with a mistake is an error that points at \
    the place.
    """

  static let fields = """
    agonyfs list --format '{taken} {path}' prints these fields, and --json uses the same names:

    \(AnswerTemplate.fields.joined(separator: ", "))

    {x.NAME} is a field of your own. A field without a value is empty. Durations and exposures are in seconds, focal \
    lengths in millimetres, altitudes in metres, sizes in bytes. --json also has cover and trashed.

    {{ and }} print braces, \\n a new line, \\t a tab. Each photo stays on one line, as line breaks in its texts are \
    escaped; with -0 texts are printed as they are.
    """

  static let mountOptions = """
    Give mount options after -o, separated by commas: agonyfs mount -o ro,idle=15m ~/Vault ~/Albums. A line in \
    /etc/fstab has the same options:

      /home/me/Vault /home/me/Albums fuse.agonyfs noauto,passfile=/root/pw 0 0

    The options are

      ro rw exec noexec sync dirsync   as in mount(8)
      suid nosuid dev nodev            default: nosuid and nodev
      allow_other      all users may use the mount, as file modes allow; needs
                       user_allow_other in /etc/fuse.conf unless root mounts
      allow_root       root may use it too; needs the same
      nonempty         the mount point may hold files; the mount hides them
      passfile=FILE    the password is the first line of FILE
      idle=TIME        as --idle; 0s is never
      places=FILE      as --places
      remember         as --remember
      tidy             as --tidy
      nothumbs         as --thumbnails none
      thumbnails=MODE  as --thumbnails
      decoder-sandbox=WHEN  as --decoder-sandbox
      decoders=NUMBER  as --decoders
      fsname=NAME      the table of mounts shows NAME, not the vault's path
      subtype=NAME     its type is fuse.NAME, not fuse.agonyfs

    Options that begin with x- are for other programs; agonyfs ignores them. A vault that cannot be written is mounted \
    read-only. Access times are not kept. See the article MountingAtBoot.md.
    """

  static let statuses = """
    Every command ends with one of these statuses, and says on standard error why it failed:

    \(exitStatuses)

    agonyfs run ends with the status of its program. See the article ExitStatuses.md.
    """

  static let limits = """
    A vault without its password shows neither names nor sizes, times or the number of photos, and changed data is \
    never shown as a photo. Against the following it does not protect you, or only if you do something.

    - A forgotten password cannot be recovered.
    - While a space is mounted, a person who controls the machine can read it.
    - Programs may keep thumbnails and lists of recent files of a mounted space outside the vault. agonyfs doctor \
    removes them as far as it can; agonyfs run prevents them.
    - A person who sees the vault twice, or reads the host's change times and journal, learns that it changed and \
    roughly how much: cover does not change by itself.
    - A disk shows when each file was made. Keep your disk and give away a fresh copy: unmount everything, run \
    agonyfs refresh, copy the vault to an empty directory on another disk, and refresh the copy.
    - A backup that you fill again and again keeps files that the vault no longer has, and their number shows also \
    after a refresh. Fill it with rsync -a --delete-after.
    - A vault with far more files than its cover explains is suspicious. A new vault gets cover of a random size from \
    256 MiB to 4 GiB, or of the size that create --cover gives, and a random number of additional files: half of all \
    vaults get 8 or more.
    - A space added with --cover 0 shows. Without other cover, U files that no password explains multiply the odds of \
    a hidden space by about U/32: 400 files (1.6 GB) raise a suspicion of 50 % to 93 %, 10 GB to 99 %.
    - A new password does not revoke older copies of the vault: they still open with the old one.
    - The vault alone does not show that a whole older copy of it was put back. mount --remember detects that on this \
    machine.

    Read the article BeforeLending.md before you lend, copy or sell a disk, and ThreatModel.md for the reasons.
    """
}
