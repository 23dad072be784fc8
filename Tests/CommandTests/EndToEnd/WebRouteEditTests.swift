import Testing

/// What changes photos and albums, and archives.
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebRouteEditTests {
  @Test func albumsEditsTrashAndArchives() throws {
    try WebRoutes.run(
      #"""
      jpeg = picture()
      contents = {}
      for number, name in enumerate(["a.jpg", "A.JPG", "b.jpg", "new\nline.jpg"]):
          contents[name] = jpeg + bytes([number])
          put(contents[name], name)
      # Albums, with every name that none has.
      made = api("POST", "albums", {"parent": "", "name": "Sommer <b>"})
      assert made == {"path": url("Sommer <b>"), "name": "Sommer <b>"}, made
      for name, status, word in [("", 400, "empty-name"), ("a/b", 400, "bad-name"), ("..", 400, "bad-name"),
                                 (".hidden", 400, "bad-name"), ("a\0", 400, "bad-name"), (".agonyfs", 400, "bad-name"),
                                 ("ü" * 128, 400, "name-too-long"), ("Sommer <b>", 409, "exists"), ("a.jpg", 409, "exists")]:
          refused(status, word, "POST", "albums", {"parent": "", "name": name})
          if name != "Sommer <b>":
              refused(status, word, "POST", "albums/rename", {"path": made["path"], "name": name})
      refused(404, "not-found", "POST", "albums", {"parent": url("none"), "name": "x"})
      refused(404, "not-found", "POST", "albums/rename", {"path": url("none"), "name": "x"})
      refused(404, "not-found", "POST", "albums/delete", {"path": url("none")})
      refused(400, "bad-request", "POST", "albums/delete", {"path": ""})
      refused(400, "bad-request", "POST", "albums/delete", {"path": url(".Trash-0")})
      refused(400, "bad-name", "POST", "albums/delete", {"path": url("a/../b")})
      album = api("POST", "albums/rename", {"path": made["path"], "name": "ü" * 127})["path"]
      answer = sections("?sort=name", 4)
      snapshot = answer["snapshot"]
      number = {item["name"]: item["i"] for item in items(answer)}
      def said(*chosen, **more): return {"snapshot": snapshot, "items": [number.get(x, x) for x in chosen], **more}
      done = api("POST", "albums/add", said("a.jpg", "b.jpg", 77, album=album))
      assert done["done"] == 2 and [(x["i"], x["error"]) for x in done["failed"]] == [(77, "not-found")], done
      refused(404, "not-found", "POST", "albums/add", said("a.jpg", album=url("none")))
      sections()
      inside = sections("?album=" + album, 2)
      assert {item["name"] for item in items(inside)} == {"a.jpg", "b.jpg"}
      # Its cover would have too long a name.
      assert [(x["count"], x["cover"]) for x in api("GET", "albums")] == [(2, False)]
      refused(400, "name-too-long", "GET", "cover?path=" + album)
      longest = api("POST", "albums/rename", {"path": album, "name": "x" * 251})["path"]
      sections()
      assert [(x["count"], x["cover"]) for x in api("GET", "albums")] == [(2, True)]
      assert ask("GET", "cover?path=" + longest)[2].startswith(b"\xff\xd8")
      assert api("POST", "albums/rename", {"path": longest, "name": "ü" * 127})["path"] == album
      sections()
      # Edits are seen by the command.
      words = {"title": "Der <i>See</i>", "rating": 4, "favourite": True, "addTags": ["Orte/Rom", "Sonne"]}
      assert api("PATCH", "items", said("a.jpg", "b.jpg", set=words)) == {"done": 2, "failed": []}
      shown = agonyfs("show", root + "/a.jpg").stdout
      assert all(word in shown for word in ["Der <i>See</i>", "Orte/Rom, Sonne", "4"]), shown
      assert api("PATCH", "items", said("a.jpg", set={"title": "", "removeTags": ["sonne"], "rating": 0}))["done"] == 1
      shown = agonyfs("show", root + "/a.jpg").stdout
      assert "See" not in shown and "Sonne" not in shown and "Orte/Rom" in shown, shown
      edit = api("GET", f"item/{snapshot}/{number['b.jpg']}/facts")["edit"]
      assert edit["title"] == words["title"] and edit["tags"] == words["addTags"] and edit["rating"] == 4, edit
      for wrong in [{"rating": 6}, {"rating": -2}, {"rating": "x"}, {"none": 1}, {"addTags": ["a,b"]}, {"addTags": "x"},
                    {"favourite": 1}, {"title": ["x"]}, []]:
          refused(400, "bad-request", "PATCH", "items", said("a.jpg", set=wrong))
      refused(410, "gone", "PATCH", "items", {"snapshot": "x", "items": [0], "set": {}})
      # Archives: the bytes that were put in, under names that are different everywhere.
      chosen = list(contents)
      answer = api("POST", "zip", said(*chosen, "a.jpg"))
      ticket = answer["ticket"]
      assert answer["refused"] == ["new\nline.jpg"] and answer["refusedCount"] == 1, answer
      status, headers, body = ask("GET", "zip/" + ticket)
      archive = zipfile.ZipFile(BytesIO(body))
      assert archive.testzip() is None and headers["Content-Type"] == "application/zip"
      assert archive.namelist() == ["a.jpg", "A (2).JPG", "b.jpg", "new_line.jpg"], archive.namelist()
      assert [archive.read(name) for name in archive.namelist()] == [contents[name] for name in chosen]
      refused(410, "gone", "GET", "zip/" + ticket)
      refused(400, "bad-request", "POST", "zip", said())
      refused(404, "not-found", "POST", "zip", said(4))
      # The trash and back, with all names.
      assert api("POST", "trash", said("a.jpg")) == {"done": 1, "failed": []}
      assert not os.path.exists(root + "/a.jpg") and sections("?album=" + album, 1)
      trash = sections("?trash=1", 1)
      place = {"snapshot": trash["snapshot"], "items": [0]}
      assert api("POST", "trash", place)["failed"][0]["error"] == "conflict"
      assert api("POST", "restore", {"snapshot": snapshot, "items": [number["b.jpg"]]})["failed"][0]["error"] == "conflict"
      assert api("POST", "restore", place) == {"done": 1, "failed": []}
      assert open(root + "/a.jpg", "rb").read() == contents["a.jpg"] and sections("?album=" + album, 2)
      # The cover of the album.
      inside = sections("?album=" + album, 2)
      cover = {"snapshot": inside["snapshot"], "item": 0}
      assert api("POST", "albums/cover", cover) == {"path": album, "name": "ü" * 127}
      refused(404, "not-found", "POST", "albums/cover", {**cover, "item": 2})
      refused(400, "bad-request", "POST", "albums/cover", {"snapshot": inside["snapshot"]})
      refused(400, "bad-request", "POST", "albums/cover", {**said(), "item": number["A.JPG"]})
      refused(410, "gone", "POST", "albums/cover", {**cover, "snapshot": "x"})
      # The trash is emptied of what was listed last.
      assert api("POST", "trash/list", {})["count"] == 0
      open(root + "/gone.txt", "wb").write(b"gone")
      assert agonyfs("thumbnails", root).returncode == 0
      files = api("GET", "files")
      assert [each["name"] for each in files["files"]] == ["gone.txt"], files
      api("POST", "trash", {"snapshot": files["snapshot"], "items": [0]})
      first, listing = api("POST", "trash/list", {}), api("POST", "trash/list", {})
      assert {name: listing[name] for name in ["count", "files", "shared", "bytes"]} == {
          "count": 1, "files": 1, "shared": 0, "bytes": 4}, listing
      refused(410, "gone", "POST", "trash/empty", {"listing": first["listing"]})
      refused(400, "bad-request", "POST", "trash/empty", {})
      assert api("POST", "trash/empty", {"listing": listing["listing"]}) == {"left": 0, "failed": []}
      assert os.listdir(f"{root}/.Trash-{os.getuid()}/files") == []
      # An old page: another file took the name meanwhile.
      os.rename(root + "/b.jpg", root + "/c.jpg")
      open(root + "/b.jpg", "wb").write(jpeg)
      sections()
      old = f"item/{snapshot}/{number['b.jpg']}/"
      for form in ["original", "full", "preview", "facts"]: refused(409, "conflict", "GET", old + form)
      for path in ["trash", "albums/add"]:
          failed = api("POST", path, said("b.jpg", album=album))
          assert failed["done"] == 0 and failed["failed"][0]["error"] == "conflict", failed
      assert api("PATCH", "items", said("b.jpg", set={"title": "x"}))["failed"][0]["error"] == "conflict"
      ticket = api("POST", "zip", said("b.jpg"))["ticket"]
      try: assert not zipfile.is_zipfile(BytesIO(ask("GET", "zip/" + ticket)[2]))
      except (http.client.HTTPException, OSError): pass
      assert open(root + "/b.jpg", "rb").read() == jpeg and open(root + "/c.jpg", "rb").read() == contents["b.jpg"]
      assert api("POST", "albums/delete", {"path": album}) is None and api("GET", "albums") == []
      """#)
  }
}
