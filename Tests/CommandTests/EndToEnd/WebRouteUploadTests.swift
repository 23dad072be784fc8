import TestSupport
import Testing

/// Receiving files by tus 1.0.0.
@Suite(.enabled(if: WebDriver.program != nil, "AGONYFS_TEST_WEB names no agonyfs-web")) struct WebRouteUploadTests {
  @Test func uploads() throws {
    try WebRoutes.run(
      #"""
      content = bytes(i * 7 & 255 for i in range(3 << 20))
      status, headers, _ = ask("OPTIONS", "upload")
      assert status == 204 and headers["Tus-Checksum-Algorithm"] == "sha1,sha256", headers
      assert set(headers["Tus-Extension"].split(",")) == {"creation", "checksum", "termination", "expiration"}
      status, headers, body = ask("POST", "upload", None, {"Upload-Length": "1"})
      assert (status, headers["Tus-Version"]) == (412, "1.0.0") and b"Tus-Resumable: 1.0.0" in body, body
      metadata = f"filename {standard('a.bin')}"
      for length, status in [(None, 400), ("-1", 400), ("x", 400), ("1.5", 400), (str(2**63 - 1), 507), ("9" * 30, 400)]:
          fields = {"Upload-Metadata": metadata, **({} if length is None else {"Upload-Length": length})}
          got, _, body = tus("POST", "", None, fields)
          assert got == status and json.loads(body)["detail"].endswith("."), (length, got, body)
      for wrong in [None, "", "filename", "filename !", "filename Li4= x", f"filename {standard('..')}",
                    f"filename {standard('a/b')}", f"filename {standard('a' * 256)}", f"filename {standard(b'a' + bytes(1))}",
                    f"filename {standard('.agonyfs')}", f"filename {standard('.Trash-1000')}",
                    metadata + ",album " + standard("%"), metadata + ",album " + standard(url("../x")),
                    metadata + ",modified " + standard("now"), metadata + ",relativePath " + standard("../a.bin")]:
          fields = {"Upload-Length": "1", **({} if wrong is None else {"Upload-Metadata": wrong})}
          status, headers, body = tus("POST", "", None, fields)
          assert status == 400 and json.loads(body)["detail"], (wrong, status, body)
      assert os.listdir(root) == [], os.listdir(root)
      # Nothing is a file as well.
      empty = begin(0, "empty.bin")
      status, headers, _ = tus("HEAD", empty)
      assert (status, headers["Upload-Offset"], headers["Agonyfs-Verified"]) == (200, "0", "1"), headers
      assert open(root + "/empty.bin", "rb").read() == b""
      # What is wrong changes nothing.
      place = begin(len(content), "a.bin")
      for offset in [1, 2**40]: assert piece(place, offset, b"x")[0] == 409
      for header, status in [("sha1 " + standard(bytes(20)), 460), ("sha256 " + standard(bytes(32)), 460),
                             ("md5 " + standard(bytes(16)), 400), ("sha1", 400), ("sha256 " + standard(bytes(20)), 400),
                             ("sha1 !", 400)]:
          got, _, body = piece(place, 0, content[:1000], {"Upload-Checksum": header})
          assert got == status and json.loads(body)["detail"].endswith("."), (header, got, body)
      assert piece(place, 0, b"x", {"Content-Type": "text/plain"})[0] == 415
      for offset in ["x", -1]:
          status, _, body = piece(place, offset, b"x")
          assert status == 400 and json.loads(body)["detail"].endswith("."), body
      assert piece(place, 0, content + b"x")[0] == 413
      for name in ["/none", "/" + "0" * 65, "/A"]:
          assert tus("HEAD", name)[0] == 404 and piece(name, 0, b"x")[0] == 404 and tus("DELETE", name)[0] == 404
      assert tus("HEAD", place)[1]["Upload-Offset"] == "0"
      first = content[:1000]
      status, headers, _ = piece(place, 0, first, {"Upload-Checksum": "sha1 " + standard(hashlib.sha1(first).digest())})
      assert (status, headers["Upload-Offset"]) == (204, "1000") and "Agonyfs-Verified" not in headers
      # The connection is cut in the middle of a piece, and the session ends.
      connection = browser.connection()
      connection.putrequest("PATCH", "/api/upload" + place)
      cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
      for name, value in [("X-Agonyfs", "1"), ("Origin", f"https://127.0.0.1:{server.port}"), ("Cookie", cookies),
                          ("Tus-Resumable", "1.0.0"), ("Content-Type", "application/offset+octet-stream"),
                          ("Upload-Offset", "1000"), ("Content-Length", str(len(content) - 1000))]:
          connection.putheader(name, value)
      connection.endheaders()
      connection.send(content[1000:1 << 20])
      connection.sock.close()
      wait_for("the end of the piece", lambda: tus("DELETE", "/none")[0] == 404 and piece(place, 0, b"x")[0] != 423)
      assert browser.lock() == 204 and browser.login() == 204
      root = mounts()[0]
      offset = int(tus("HEAD", place)[1]["Upload-Offset"])
      assert 1000 <= offset <= 1 << 20, offset
      rest = content[offset:]
      digest = standard(hashlib.sha256(rest).digest())
      status, headers, body = piece(place, offset, rest, {"Upload-Checksum": "sha256 " + digest})
      assert status == 204 and headers["Agonyfs-Verified"] == "1" and headers["Agonyfs-Name"] == "a.bin", (status, body)
      assert open(root + "/a.bin", "rb").read() == content
      assert piece(place, 0, first)[0] == 409
      # The last answer is given again, also after a login, to who may compare; for others it is another file.
      place = begin(1000, "b.bin", more=",resume")
      assert piece(place, 0, first)[1]["Agonyfs-Name"] == "b.bin"
      assert browser.lock() == 204 and browser.login() == 204
      root = mounts()[0]
      assert begin(1000, "b.bin", more=",resume") == place
      headers = tus("HEAD", place)[1]
      checksum = standard(hashlib.sha256(hashlib.sha256(first).digest()).digest())
      assert (headers["Agonyfs-Verified"], headers["Agonyfs-Checksum"]) == ("1", checksum), headers
      # The same file is there once, whoever sends it; another one of this name and length gets a name of its own.
      status, headers, _ = piece(begin(1000, "b.bin"), 0, first)
      assert (status, headers["Agonyfs-Name"], headers["Agonyfs-There"]) == (204, "b.bin", "b.bin"), headers
      assert put(first[::-1], "b.bin") == "b (2).bin"
      status, headers, _ = piece(begin(1000, "other.jpg", "B", ",skipDuplicates"), 0, first)
      assert (status, headers["Agonyfs-Name"], headers["Agonyfs-There"]) == (204, "b.bin", "b.bin"), headers
      os.remove(root + "/b.bin")
      assert tus("HEAD", place)[0] == 410
      assert begin(1000, "b.bin", more=",resume") == place and tus("HEAD", place)[1]["Upload-Offset"] == "0"
      assert tus("DELETE", place)[0] == 204 and tus("HEAD", place)[0] == 404
      assert sorted(os.listdir(root)) == ["a.bin", "b (2).bin", "empty.bin"], os.listdir(root)
      # Folders become albums.
      place = begin(1000, "c.bin", more=",relativePath " + standard("Reise/Tag 1/c.bin"))
      assert piece(place, 0, first)[0] == 204 and open(root + "/Reise/Tag 1/c.bin", "rb").read() == first
      """#)
  }

  @Test(.enabled(if: TestLength.isWhole, "writes 6 GiB; with scripts/test --all")) func sixGibibytes() throws {
    try WebRoutes.run(
      #"""
      size, count = 8 << 20, 768
      block = os.urandom(size)
      def part(number): return block[number:] + block[:number]
      browser.keeps = True
      place = begin(size * count, "large.bin")
      for number in range(count):
          checksum = "sha256 " + standard(hashlib.sha256(part(number)).digest())
          status, headers, body = piece(place, number * size, part(number), {"Upload-Checksum": checksum})
          assert (status, headers["Upload-Offset"]) == (204, str((number + 1) * size)), (number, status, body)
      assert headers["Agonyfs-Verified"] == "1", headers
      resident = int(re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{server.process.pid}/status").read())[1])
      assert resident < 400_000, resident
      assert os.stat(root + "/large.bin").st_size == size * count
      with open(root + "/large.bin", "rb") as file:
          for number in range(count): assert file.read(size) == part(number), number
      """#)
  }
}
