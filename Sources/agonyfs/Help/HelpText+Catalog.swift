/// The help of the commands for photos.
extension HelpText {
  static let list = """
    Print the photos and videos that a query finds, newest first: as a table at a terminal, otherwise as paths, one on \
    each line. Without a query all are printed. A vault that is not mounted is opened with its password, and not \
    changed.

    EXAMPLES

      agonyfs list ~/Albums
      agonyfs list ~/Albums paris date:2019 'rating:>3' -type:video
      agonyfs list --long ~/Albums/Iceland is:favourite
      agonyfs list --group year ~/Albums
      agonyfs list --format '{taken} {camera} {path}' ~/Albums
      agonyfs list -0 ~/Albums tag:Family | xargs -0 cp -t ~/Family

    The second example finds the photos of 2019 in Paris with more than three stars, and no videos. agonyfs help \
    queries explains queries, and agonyfs help fields lists the fields of --format. Options may stand anywhere.
    """

  static let show = """
    Print each fact of a photo with its source: the file's EXIF, XMP or IPTC data, a sidecar, its name, or agonyfs tag.

    EXAMPLES

      agonyfs show ~/Albums/2019/IMG_1234.jpg
    """

  static let zone = """
    Print the home time zone of a space, or set it. Photos and videos whose time is known only in UTC are shown in \
    this zone, unless the place of a photo gives another one. Their dates change at once. A space starts with \
    the zone of the machine that first wrote to it, and keeps that wherever it is mounted. agonyfs show says which \
    zone a photo uses, and why.

    EXAMPLES

      agonyfs zone ~/Albums
      agonyfs zone ~/Albums Europe/Berlin
    """

  static let tag = """
    Describe photos. What you say takes precedence over what the files say, and changes no byte of them. It is kept in \
    extended attributes, which file managers show and set, and rsync -X copies.

    EXAMPLES

      agonyfs tag --add Family,Places/Paris ~/Albums/2019/Paris/*.jpg
      agonyfs tag --rating 4 --title 'Eiffel Tower' --person 'Anna Schmidt' a.jpg
      agonyfs tag --taken 1961 --position 48.8584,2.2945 scan.tif
      agonyfs tag --shift +1h ~/Albums date:2019-07 'camera:"EOS 5D"'
      agonyfs list -0 ~/Albums date:2019 | agonyfs tag --add Summer --files0-from -
      agonyfs tag --from facts.csv --map File=path,Stars=rating ~/Albums

    A/B is tag B below A. --shift corrects a camera's clock for all photos that a query finds. --map maps a field of \
    your file to one of ours: \(FieldMap.Target.allCases.map(\.rawValue).joined(separator: ", ")), or x.NAME for a \
    field of your own. See the article AskingForPhotos.md.
    """

  static let duplicates = """
    List groups of files with the same bytes, and of pictures with the same pixels. With --similar also list pictures \
    that look alike. Files of one stack, such as a RAW file and its JPEG, are not duplicates.

    EXAMPLES

      agonyfs duplicates ~/Albums
      agonyfs duplicates --merge ~/Albums
      agonyfs duplicates --merge --similar --keep ask ~/Albums/Iceland
      agonyfs duplicates --split a.jpg b.jpg

    --merge shows what it will do, and asks once. It keeps one file of each group (by default one with the camera's \
    own facts), and gives it a name in every album of the others, their tags, people and best rating, and their title, \
    caption, time, place and sidecar if it has none. The others move to the trash folder .Trash-UID of the space, from \
    which file managers restore them; empty it to free the room. If the command is interrupted, nothing is lost: run \
    it again. See the article AskingForPhotos.md.
    """

  static let importing = """
    Copy files and folders into a mounted space. Each file is read back from the vault, and again from its source, \
    before it gets its name. No file is replaced: the next name is "name (2)". Files that the space already has are \
    not stored again.

    EXAMPLES

      agonyfs import ~/Pictures/Italy ~/Albums
      agonyfs import /media/CARD/DCIM ~/Albums/Camera --delete-originals
      agonyfs import --by-date '%Y/%Y-%m' /media/CARD ~/Albums
      agonyfs import ~/Downloads/takeout-*.zip ~/Albums

    Folders keep their names; FOLDER/. stands for the content of FOLDER. Archives (zip, tar) are unpacked. Name all \
    parts of a Google Takeout at once. --delete-originals asks once, after everything is verified and durable. The \
    status is 18 if a file was not imported. Ctrl-C ends after the current file, and the next run continues. See the \
    article Importing.md.
    """

  static let exporting = """
    Copy files out of a space, into a folder or one zip archive. Each file is read back and compared with the vault \
    before it gets its name. No file is replaced: the next name is "name (2)". Exported files are not encrypted.

    EXAMPLES

      agonyfs export ~/Albums /media/disk/Photos
      agonyfs export ~/Albums/Iceland 'rating:>3' ~/Iceland.zip
      agonyfs export --xmp ~/Vault ~/Everything
      agonyfs export --strip location ~/Albums tag:Family ~/ForGrandma
      agonyfs export ~/Albums date:2019 - | ssh host 'cat > 2019.zip'

    Without a query every file is exported, except the trash. --strip removes metadata from the copies: location keeps \
    camera, exposure, times and rights, all keeps only orientation and colours. A file that cannot be stripped is not \
    exported. The status is 18 if a file was not exported. Ctrl-C ends after the current file. See the article \
    Exporting.md.
    """

  static let serve = """
    Show albums in the browsers of phones and computers nearby. Scan the QR code with a phone; its page asks for a \
    password, which chooses the space of the vault. If the path does not exist, the terminal offers to create a vault.

    EXAMPLES

      agonyfs serve ~/Vault
      agonyfs serve --certificate-folder ~/.config/agonyfs/ca ~/Vault
      agonyfs serve --http --open ~/Vault
      agonyfs serve --listen 192.168.1.5 --port 9000 --idle 5m ~/Albums

    Press Enter (or send the signal USR1) for the code of another phone: a code is good for 5 minutes and for one \
    phone. Ctrl-C ends everything and unmounts. A browser that has not scanned a code gets no answer. The space is \
    mounted while a browser uses it. If you name a mounted space, the page shows only that one, and leaves it mounted.

    The browser warns, because each start makes a new certificate: compare its fingerprint with the one at the \
    terminal. With --certificate-folder the authority stays the same, and a phone that has installed its ca.pem does \
    not warn. See the article Serving.md.
    """

  static let choose = """
    Show a mounted space in the browser of this machine, and print the paths of the photos that you choose there, one \
    on each line. It asks for no password: only your own programs on this machine get an answer, and nothing can be \
    changed.

    EXAMPLES

      agonyfs choose --max 9 ~/Albums
      agonyfs choose --type video --max-duration 60s ~/Albums
      agonyfs choose -0 ~/Albums | xargs -0 -r cp -t ~/Outbox

    Press a photo to select it, and Enter to show it. Photos selected in other albums and searches are chosen as well. \
    Only videos have a duration, so --min-duration and --max-duration limit the choice to videos. Open the page within \
    5 minutes, in one browser: the one that BROWSER names, or that of xdg-open.

    The status is 1, and nothing is printed, after Cancel, Ctrl-C or an hour without use, or if you close the page. It \
    is 2 without a graphical session.
    """
}
