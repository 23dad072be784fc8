import Testing

/// Lists, pictures and bytes of photos.
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebRouteReadTests {
  @Test func listsPicturesAndBytes() throws {
    try WebRoutes.run(
      #"""
      jpeg = picture()
      names = ["IMG_20190714_213005.jpg", "<b onload=x>&.jpg", "new\nline\t.jpg", "\u202egpj.exe.jpg", "x" * 251 + ".jpg"]
      for name in names: assert put(jpeg + name.encode(), name) == name
      answer = sections(count=5)
      snapshot = answer["snapshot"]
      found = {item["name"]: item["i"] for item in items(answer)}
      assert set(found) == set(names), found
      status, headers, geometry = ask("GET", "geometry/" + snapshot)
      assert status == 200 and len(geometry) == 40 and geometry[:2] == (1500).to_bytes(2, "little"), geometry
      for name, number in found.items():
          whole, place = jpeg + name.encode(), f"item/{snapshot}/{number}/"
          status, headers, body = ask("GET", place + "original")
          assert (status, body) == (200, whole) and headers["Content-Type"] == "image/jpeg", (name, status, headers)
          tag = headers["ETag"]
          for header, wanted in [
              ("bytes=0-9", (0, 10)), ("bytes=-5", (len(whole) - 5, len(whole))), ("bytes=7-", (7, len(whole))),
              ("bytes=3-999999999999999999999", (3, len(whole))), ("bytes=-999999", (0, len(whole))),
              ("bytes=9-5", None), ("bytes=a-b", None), ("lines=0-1", None), ("bytes=0-1,3-4", None), ("bytes=", None),
          ]:
              status, headers, body = ask("GET", place + "original", None, {"Range": header})
              if wanted is None:
                  assert (status, body) == (200, whole), (header, status)
              else:
                  first, end = wanted
                  assert (status, body) == (206, whole[first:end]), (header, status)
                  assert headers["Content-Range"] == f"bytes {first}-{end - 1}/{len(whole)}", headers
          for header in [f"bytes={len(whole)}-", "bytes=-0", "bytes=99999999999999999999999-"]:
              status, headers, body = ask("GET", place + "original", None, {"Range": header})
              assert (status, headers["Content-Range"], body) == (416, f"bytes */{len(whole)}", b""), (header, status)
          assert ask("GET", place + "original", None, {"Range": "bytes=0-1", "If-Range": tag})[0] == 206
          assert ask("GET", place + "original", None, {"Range": "bytes=0-1", "If-Range": '"x"'})[2] == whole
          for fields in ({}, {"Range": "bytes=0-1"}, {"Range": f"bytes={len(whole)}-"}):
              status, headers, body = ask("HEAD", place + "original", None, fields)
              assert (status, headers["Content-Length"], body) == (200, str(len(whole)), b""), (status, headers)
          status, headers, body = ask("GET", place + "original?download=1")
          assert body == whole and headers["Content-Disposition"].startswith("attachment; filename=\""), headers
          assert quote(name, safe="") in headers["Content-Disposition"], headers
          assert ask("GET", place + "full")[2] == whole
          status, headers, body = ask("GET", place + "preview")
          assert status == 200 and body.startswith(b"\xff\xd8") and headers["Content-Type"] == "image/jpeg"
          refused(404, "not-found", "GET", place + "motion")
          refused(404, "not-found", "GET", place + "other")
          facts = api("GET", place + "facts")
          assert facts["name"] == name and facts["edit"]["title"] == "" and facts["sections"], facts
      for path, status, word in [
          ("geometry/x", 410, "gone"), (f"section/{snapshot}/99", 404, "not-found"),
          (f"section/{snapshot}/-1", 404, "not-found"), (f"section/{snapshot}/x", 400, "bad-request"),
          ("section/x/0", 410, "gone"), (f"item/{snapshot}/5/original", 404, "not-found"),
          (f"item/{snapshot}/-1/facts", 404, "not-found"), (f"item/{snapshot}/0x/original", 400, "bad-request"),
          (f"item/{snapshot}/99999999999999999999/full", 400, "bad-request"), ("item/x/0/original", 410, "gone"),
          ("zip/x", 410, "gone"), ("sections?group=year", 400, "bad-request"), ("sections?sort=-x", 400, "bad-request"),
          ("sections?album=%25%25", 400, "bad-request"), ("sections?album=" + url("../x"), 400, "bad-name"),
          ("sections?album=" + url(".agonyfs/query"), 400, "bad-name"), ("albums?path=" + url("none"), 404, "not-found"),
          ("albums?path=" + url("a//b"), 400, "empty-name"), ("albums?path=" + url("a\0b"), 400, "bad-name"),
          ("albums?path=" + url("x" * 256), 400, "name-too-long"), ("cover?path=" + url("none"), 404, "not-found"),
          ("albums?path=" + url(".Trash-0"), 400, "bad-request"), ("sections?q=%FF", 400, "bad-request"),
          ("sections?sort=time&other=%4", 400, "bad-request"), ("suggest?q=%", 400, "bad-request"),
          (f"item/{snapshot}/0/original?download=1%C3", 400, "bad-request"), ("state?used=%GG", 400, "bad-request"),
      ]:
          refused(status, word, "GET", path)
      assert ask("GET", "none")[0] == 404 and ask("PUT", "sections")[0] in (404, 405)
      for words in ["group=" + word for word in ("day", "month", "place", "tag", "none")] + [
          "sort=" + word for word in ("time", "-time", "name", "-name", "size", "rating")]:
          assert api("GET", "sections?" + words)["count"] == 5, words
      assert [item["name"] for item in items(api("GET", "sections?sort=name"))] == sorted(names, key=str.encode)
      assert api("GET", "sections?trash=1")["count"] == 0
      assert api("GET", "sections?q=" + quote("img"))["count"] == 1
      # As forms have blanks.
      assert api("GET", "sections?q=+img++type%3Aphoto+")["count"] == 1
      mistake = api("GET", "sections?q=" + quote("ü camra:x"))
      assert mistake["snapshot"] is None and (mistake["error"]["at"], mistake["error"]["length"]) == (2, 5), mistake
      assert api("GET", "suggest?q=" + quote("\0<x>")) == [] and api("GET", "suggest") == []
      # The lists above took the place of the first one.
      refused(410, "gone", "GET", "geometry/" + snapshot)
      snapshot = sections(count=5)["snapshot"]
      status, _, body = ask("POST", "thumbs", {"snapshot": snapshot, "items": [1, 0, 99, -1, 1], "size": 256})
      seen = []
      while body:
          number, length = struct.unpack_from("<iI", body)
          seen.append(number)
          assert (length == 0) == (number in (99, -1)) and (length == 0 or body[8:10] == b"\xff\xd8"), (number, length)
          body = body[8 + length:]
      assert sorted(seen) == [-1, 0, 1, 1, 99], seen
      refused(413, "too-large", "POST", "thumbs", {"snapshot": snapshot, "items": [0] * 61, "size": 256})
      for said in ["", "{", "[]", "\"", {"snapshot": snapshot}, {"snapshot": 1, "items": [], "size": 1},
                   {"snapshot": snapshot, "items": ["0"], "size": 1}, {"snapshot": snapshot, "items": [0.5], "size": 1}]:
          for method, path in [("POST", "thumbs"), ("POST", "zip"), ("POST", "trash"), ("PATCH", "items")]:
              if path == "thumbs" or said != {"snapshot": snapshot, "items": ["0"], "size": 1}:
                  assert ask(method, path, said)[0] == 400, (method, path, said)
      """#)
  }
}
