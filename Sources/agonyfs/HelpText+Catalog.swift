extension HelpText {
  static let list = """
    Lists photos and videos, newest first: a table at a terminal, paths elsewhere, one on each line. MOUNT is where a \
    space is mounted, or a directory in it, and then only what is below that. Of a VAULT that is not mounted here it \
    asks for the password, and reads without changing anything. \(password)

    EXAMPLES

      agonyfs list ~/Albums
      agonyfs list ~/Albums paris date:2019 'rating:>3' -type:video
      agonyfs list ~/Albums 'date:2019-07 eiffel | louvre -tag:Work'
      agonyfs list ~/Albums place:paris camera:iphone date:2018..2020
      agonyfs list --long ~/Albums/Iceland is:favourite
      agonyfs list --group year ~/Albums
      agonyfs list --sort duration --limit 10 ~/Albums type:video
      agonyfs list --format '{taken} {camera} {path}' ~/Albums
      agonyfs list -0 ~/Albums tag:Family | xargs -0 cp -t ~/Family

    The second one finds the photos of 2019 in Paris with more than three stars, and no videos; --sort duration shows the \
    longest first. Videos count as photos unless the query has type:photo or -type:video.

    QUERY

    Words are looked for in paths, titles, captions, tags, people and places; case and accents do not count. All \
    conditions must hold. Spaces and < > | * ( ) " & ; mean something to the shell: put a condition with them, or the \
    whole query, in single quotes. Options may stand anywhere; a word with - that is no option is a condition. What is in \
    the trash is found only by is:trashed.

      paris 2019                   both words
      paris | rome                 at least one of them
      -rome                        not
      paris | rome -dog            one of the first two, and no dog
      -(paris rome)                not both; ( ) makes one condition of several
      "tower at night"             words in this order
      eiff*                        the beginning of a word

      date:2019                    also 2019-07, 2019-07-14, 2018..2020 (both
                                   whole), >2019, *-12-24 (each year's), today,
                                   yesterday; by the clock where it was taken;
                                   before:2019 and after:2019 are all before it
                                   begins and after it ends. A photo of which
                                   only 1953 is known is in date:1953, and not
                                   in date:1953-07
      place:paris                  town, region or country; also region:bavaria
                                   and country:fr
      near:48.85,-2.35,5km         latitude, longitude, distance (m, km, mi)
      camera:iphone                words of maker or model; also lens:
      type:photo                   or video, jpeg, png, gif, webp, tiff, heic,
                                   avif, jxl, raw, mp4, mov, mkv, webm, avi, 3gp,
                                   mts, mpg, wmv, flv, ogv, bmp
      rating:>3                    stars; also >=3, 5, 2..4; 0 is unrated
      tag:Family                   a tag, or one below it; tag:a|b is one of two
      person:anna                  also title: caption: name:
      x.customer:4711              a field of your own; also has:x.customer
      album:Iceland                in a directory of this name, or below it;
                                   album:/2019/Iceland from the root of the space
      size:>10M  duration:<60s     also width: height: megapixels: iso:
                                   aperture:2.8 exposure:1/250 focal:50 fps:
                                   altitude: codec: hash:
      is:favourite                 or live, motion, burst, raw, stacked, edited,
                                   duplicate, panorama, cover, rejected, trashed
      has:gps                      or time, month, day, zone, place, title, caption,
                                   tags, people, rating, camera, lens, sidecar,
                                   altitude

    After = the whole is compared: tag:=Places (nothing below it), album:=2019, 'person:="Anna Schmidt"'. What is not \
    understood is an error that shows the place.

    FIELDS OF --format

    \(AnswerTemplate.fields.joined(separator: ", "))

    Each photo has a line of its own, whatever its texts have; with -0 they are as they are. Durations and exposures \
    are seconds, focal lengths millimetres, altitudes metres, sizes bytes. {{ and }} are braces, \\n a new line, \\t a \
    tab. What is not known is empty. {x.NAME} is a field of your own. --json has the same fields, and cover and trashed.
    """

  static let show = """
    Each line has a fact and where it is from: the file's EXIF, XMP or IPTC data, a sidecar, its name, or what you said \
    with agonyfs tag.
    """

  static let zone = """
    Some times are known in UTC alone: those of many videos, of Google's descriptions, of files. Where no place tells what \
    the clock there showed, that of the home zone is shown, so that an evening is in its own day. A space has the zone of \
    the machine that wrote to it first, and keeps it wherever it is mounted. When it is changed, the dates of all photos \
    follow. agonyfs show says of each photo which zone was used, and why.

    EXAMPLES

      agonyfs zone ~/Albums
      agonyfs zone ~/Albums Europe/Berlin
    """

  static let tag = """
    What is said here wins over what the files say themselves, and changes no byte of them. It is kept in extended \
    attributes (user.xdg.tags, user.xdg.comment, user.baloo.rating, user.agonyfs.*), which file managers show and set, \
    and rsync -X and tar --xattrs copy.

    EXAMPLES

      agonyfs tag --add Family,Places/Paris ~/Albums/2019/Paris/*.jpg
      agonyfs tag --remove Family --rating 4 --title 'Eiffel Tower' photo.jpg
      agonyfs tag --person 'Anna Schmidt' --favourite photo.jpg
      agonyfs tag --taken 2019-07-14T21:30 --position 48.8584,2.2945 scan.tif
      agonyfs tag --taken 1961 old.tif
      agonyfs tag --shift +1h ~/Albums date:2019-07 'camera:"EOS 5D"'
      agonyfs tag --cover best.jpg
      agonyfs list -0 ~/Albums date:2019-07 | agonyfs tag --add Summer --files0-from -
      agonyfs tag --from facts.csv --map File=path,Keywords=tags,Stars=rating ~/Albums

    A tag has no comma; A/B is B below A, and 'AC\\/DC' is one tag with a slash in its name. A tag that is taken away \
    stays away, also if the file itself has it; a person whom the file itself names stays. Control characters and new lines become spaces, but in a caption. A photo \
    has at most 1024 tags, of 16 KiB together.

    --taken takes as much as is known: 1961, 1961-07, 1961-07-14, with or without a time of day and a zone.

    --shift mends the clock of a camera: it says the known time and so much (d, h, m, s), with its zone, of each photo \
    that a query finds in a directory, or of the files that are named. Said twice, it shifts twice; the other sign, or \
    --clear taken, takes it back. Left and told are photos of which only the file's time is known, and those of which \
    only the day is, unless whole days are shifted, or only the month or the year.

    --from reads an array or lines of JSON, or CSV with a first line of names. --map says which of its fields are ours: \
    \(FieldMap.Target.allCases.map(\.rawValue).joined(separator: ", ")). x.NAME keeps a text \
    that no field takes under a name of your own, such as Number=x.customer: at most 32 of a photo, of 4 KiB together. \
    Without --map, fields with our names are taken. A row belongs to the file at path (in the directory that is named, \
    or absolute), or to the only one with that name. Its tags and people are added, all else is replaced; what is empty \
    says nothing, and fields of your own that the row does not have stay. Of a row that says something impossible \
    nothing is done, and the status is 1.
    """

  static let duplicates = """
    Lists groups of files with the same bytes, and of pictures with the same pixels; with --similar also of such that \
    look alike. Files of one stack (a RAW file and its JPEG, a live photo and its video) are no duplicates.

    --merge keeps one of each group, says how many files would go and what the kept ones get, then asks once. A file \
    with the camera's own facts is kept; of several the one with most pixels, then the oldest. It gets a name in \
    every album of the others (a hard link), their tags, people and best rating, and their title, caption, time, place \
    and sidecar if it has none. With --similar only what looks like the kept file goes. Then the others move to the trash folder, .Trash-UID in the root of the space, from which file managers put \
    them back; empty it to have the room. Nothing is deleted or overwritten. What differs in one pixel is merged only \
    with --similar. If it is interrupted, nothing is lost; run it again.

    EXAMPLES

      agonyfs duplicates ~/Albums
      agonyfs duplicates --merge ~/Albums
      agonyfs duplicates --merge --similar --keep ask ~/Albums/Iceland
      agonyfs duplicates --split a.jpg b.jpg      these are no duplicates, whatever they look like
    """

  static let importing = """
    Copies files and folders into a mounted space. Each file is written where nobody sees it, read back from the vault's \
    storage past every cache, and read from the source again; only if all three are the same it gets its name. A name \
    that exists is never replaced: the next one is "name (2)". Times and extended attributes are kept. What was imported \
    before, or is in the space under another name, is not stored again.

    Archives (zip; tar, also packed by gzip, bzip2 or xz) are unpacked by a process without keys, files or network. All \
    parts of a Google Takeout, as archives or unpacked, are named at once: descriptions go beside the photos that they \
    are about, and the catalog has their people, words, times and places.

    Folders keep their names and what is in them; of FOLDER/. only what is in it. With an album at the end, or --into, what \
    is in the folders goes into that album; with --by-date into albums by the day that list shows.

    What systems keep for themselves (.DS_Store, Thumbs.db, desktop.ini, __MACOSX, .Trashes, ._* of macOS) is counted, and \
    stays; --all-files imports it, too.

    EXAMPLES

      agonyfs import ~/Pictures/Italy ~/Albums
      agonyfs import /media/CARD/DCIM ~/Albums/Camera --delete-originals
      agonyfs import --by-date '%Y/%Y-%m' --report import.json /media/CARD ~/Albums
      agonyfs import --dry-run /media/CARD ~/Albums
      agonyfs import ~/Downloads/takeout-*.zip ~/Albums

    --delete-originals deletes what was verified and did not change since, after everything is durable and after asking \
    once; a photo goes only together with its raw file, video and sidecars. Deleting is not erasing. The status is 0 only \
    if the space has every file that was not left out, and 18 otherwise. Ctrl-C ends after the file at hand; the next run \
    goes on.
    """

  static let exporting = """
    Copies files out of a space as they are: into a folder, or into one zip archive (stored, with ZIP64 where needed). \
    Without a query every file is exported, but for the trash; albums become directories. Each file is written under \
    another name, made durable, read back past the cache and compared with what the vault has stored; only then it gets \
    its name. A name that exists is never replaced: a file with the same content counts as there already, for others \
    the next name is "name (2)". Times and extended attributes are kept. The query is that of agonyfs list.

    EXAMPLES

      agonyfs export ~/Albums /media/disk/Photos
      agonyfs export ~/Albums/Iceland 'rating:>3' ~/Iceland.zip
      agonyfs export --xmp ~/Vault ~/Everything       asks for the password
      agonyfs export --strip location --resize 2048 ~/Albums tag:Family ~/ForGrandma
      agonyfs export ~/Albums date:2019 - | ssh host 'cat > 2019.zip'

    --xmp writes what you said of a photo beside it, for other programs: titles, captions, tags, people, stars, \
    fields of your own. A photo that has a sidecar in the space keeps that one.

    --strip changes copies only, and no pixel of them. location keeps of the metadata what camera, exposure, times and \
    rights say, and nothing else; all keeps only how the picture is turned and its colours. What follows the picture in \
    the file, such as the video of a motion photo, goes as well. JPEG, PNG, WebP, HEIC, AVIF, MP4 and MOV can be \
    stripped; any other file is not exported then. With all, the copy has the time of the export.

    Names that Windows or exFAT refuses are said before anything is written; --portable replaces what is refused by "_".

    --resize makes upright JPEGs without metadata of pictures, never larger than they are; videos and other files are \
    exported as they are, or stripped. Changed copies have no extended attributes.

    Exported files are not encrypted. The status is 0 only if every file was exported or is there, and 18 otherwise. \
    Ctrl-C ends after the file at hand; an archive that is not whole is removed.
    """
}

extension HelpText {
  static let serve = """
    Shows a QR code. The phone that scans it is paired until this program ends; nobody else in the network gets an answer. \
    Its page asks for a password, which chooses the space of the VAULT. The space is mounted for as long as somebody \
    uses it, in a folder that only you may enter. Given a MOUNT, the page shows that space alone, to who knows a \
    password of it, and never unmounts it. At a terminal, where there is nothing at the path, it offers to make a vault.

    Enter, or the signal USR1, shows the code for another phone; Ctrl-C ends everything and unmounts. A code is good for \
    5 minutes and for one phone.

    The connection is encrypted with a certificate that is made at each start, so the browser warns: compare the \
    fingerprint that it shows with the one here. With --certificate-folder the authority of the certificate stays the \
    same, and a phone that installed its ca.pem does not warn.

    EXAMPLES

      agonyfs serve ~/Vault
      agonyfs serve --certificate-folder ~/.config/agonyfs/ca ~/Vault
      agonyfs serve --http --open ~/Vault
      agonyfs serve --listen 192.168.1.5 --port 9000 --idle 5m ~/Albums
    """

  static let choose = """
    Opens a page of a mounted space in the browser of this machine, and ends when something was chosen there. Then the \
    paths are printed as agonyfs list prints them: one on each line, as they work from where you stand. What --max, --type \
    and the durations leave out is shown, and cannot be selected. Photos have no duration: with one only videos can be.

    A press selects a photo; Enter or two presses show it. What is selected stays so in another album or search, and is \
    chosen as well.

    No password is asked for: the page shows what you have mounted, to you alone. Only this machine gets an answer, only \
    one browser, within 5 minutes, and only of a program that runs as you. The browser is what BROWSER names, or else that \
    of xdg-open. Nothing can be changed there.

    The status is 1, and nothing is printed, after Cancel or Ctrl-C, without use for an hour, or soon after the page was \
    closed; 2 without a graphical session.

    EXAMPLES

      agonyfs choose --max 9 ~/Albums
      agonyfs choose -0 --type video --max-duration 60s ~/Albums | xargs -0 -r cp -t ~/Outbox
    """
}
