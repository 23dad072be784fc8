"""The stand-in server answers as the true one does, on every route: status, the headers that the page uses, what JSON has.

Runs when AGONYFS_TEST_WEB names agonyfs-web.
"""

import base64
import hashlib
import struct
import time
import types
import unittest
import warnings

import urllib3

import real
from client import Client
from stand_in_gallery import Gallery
from stand_in_upload import Uploads
from support import stand_in, true_server

# Headers whose values are the same, and those of which only that they are there.
SAME = ["Agonyfs-Verified", "Clear-Site-Data", "Content-Security-Policy", "Content-Type",
        "Cross-Origin-Opener-Policy", "Cache-Control", "Location", "Referrer-Policy", "Tus-Resumable", "Upload-Length",
        "Upload-Offset", "X-Content-Type-Options"]
THERE = ["Agonyfs-Checksum", "Agonyfs-Name", "Agonyfs-Path", "Content-Disposition", "Content-Range", "Set-Cookie"]
# The pieces in which the page sends a file.
PIECES = [bytes(8 << 20), b"not a photo"]


def coded(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def shape(value):
    """Which fields JSON has, and of which kinds. What is null may be missing, and one of a list may lack what others have, or
    have an empty list there.
    """
    if isinstance(value, dict):
        return {name: shape(part) for name, part in sorted(value.items()) if part is not None}
    if isinstance(value, list):
        kinds = [shape(part) for part in value]
        if kinds and all(isinstance(kind, dict) for kind in kinds):
            said = sorted(((name, part) for kind in kinds for name, part in kind.items()), key=lambda pair: pair[1] != [])
            return [dict(said)]
        return [kind for number, kind in enumerate(kinds) if kind not in kinds[:number]]
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


class Trial:
    """Asks a server on every route, and notes what it answers."""

    def __init__(self, address, password):
        self.root, self.password = address[:address.index("/", 8)], password
        self.client = Client(types.SimpleNamespace(root=self.root), False)
        self.answers, self.asked = {}, set()
        with self.client.session, warnings.catch_warnings():
            # A certificate that is made anew is known to nobody.
            warnings.simplefilter("ignore", urllib3.exceptions.InsecureRequestWarning)
            self.ask("not paired", "GET", "/")
            self.client.pair(address)
            self.access()
            self.lists()
            self.items()
            self.edits()
            self.albums()
            self.others()
            self.archive()
            self.upload()
            self.ask("lock", "POST", "/lock")

    def ask(self, name, method, route, path=None, headers=None, **words):
        """By a route; `path` is the address if the route has parts that differ."""
        self.asked.add((method, route))
        fields = {**self.client.fields, **(headers or {})}
        answer = self.client.session.request(
            method, self.root + (path or route), headers={key: value for key, value in fields.items() if value},
            timeout=real.LIMIT, **words)
        said = {key: value.partition("; charset")[0] for key, value in answer.headers.items() if key in SAME}
        said |= {key: "there" for key in THERE if key in answer.headers}
        if "Location" in said:
            said["Location"] = said["Location"].rpartition("/")[0]
        body = "json" if answer.headers.get("Content-Type", "").startswith("application/json") else len(answer.content) > 0
        if body == "json" and method != "HEAD":
            found = answer.json()
            body = shape(found)
            if isinstance(found, dict) and "error" in found and isinstance(found["error"], str):
                body["error"] = found["error"]
        self.answers[name] = answer.status_code, said, body
        return answer

    def access(self):
        self.ask("page", "GET", "/")
        self.ask("script", "GET", "/assets/{name}", "/assets/main.js")
        self.ask("no asset", "GET", "/assets/{name}", "/assets/other.js")
        self.ask("locked state", "GET", "/api/state")
        self.ask("locked", "GET", "/api/albums")
        self.ask("wrong password", "POST", "/login", data="never")
        self.ask("login", "POST", "/login", data=self.password)
        self.ask("state", "GET", "/api/state", "/api/state?used=1&busy=1")

    def lists(self):
        for name, query in {"all": "", "days": "?group=day&sort=-time", "places": "?group=place", "tags": "?group=tag",
                            "no groups": "?group=none", "an album": f"?album={coded('Scans')}", "trash": "?trash=1",
                            "mistake": "?q=%22open", "blanks": "?q=+type%3Avideo+"}.items():
            self.ask(f"sections: {name}", "GET", "/api/sections", "/api/sections" + query)
        self.snapshot = self.client.ask("GET", "/api/sections?group=none").json()
        self.place = self.snapshot["snapshot"]
        geometry = self.ask("geometry", "GET", "/api/geometry/{s}", f"/api/geometry/{self.place}").content
        assert len(geometry) == 8 * self.snapshot["count"], len(geometry)
        self.kinds = [geometry[8 * number + 5] & 15 for number in range(self.snapshot["count"])]
        self.ask("geometry that is gone", "GET", "/api/geometry/{s}", "/api/geometry/0123456789abcdef")
        self.ask("suggestions", "GET", "/api/suggest", "/api/suggest?q=fam")
        self.ask("no suggestions", "GET", "/api/suggest", "/api/suggest?q=zzz")

    def items(self):
        asked = {"snapshot": self.place, "items": [0, 1, 2], "size": 256}
        records, sent = self.ask("thumbnails", "POST", "/api/thumbs", json=asked).content, []
        while records:
            number, length = struct.unpack_from("<II", records)
            assert records[8:10] == b"\xff\xd8", records[:10]
            sent.append(number)
            records = records[8 + length:]
        assert sorted(sent) == [0, 1, 2], sent
        photo, video = f"/api/item/{self.place}/{self.kinds.index(0)}", f"/api/item/{self.place}/{self.kinds.index(1)}"
        self.ask("facts", "GET", "/api/item/{s}/{n}/facts", photo + "/facts")
        for form in ("preview", "full", "original", "original?download=1"):
            self.ask(form, "GET", "/api/item/{s}/{n}/{form}", f"{photo}/{form}")
        self.ask("video", "GET", "/api/item/{s}/{n}/{form}", video + "/original", {"Range": "bytes=10-19"})
        motion = f"/api/item/{self.place}/{self.kinds.index(3)}/motion"
        self.ask("motion", "GET", "/api/item/{s}/{n}/{form}", motion, {"Range": "bytes=0-9"})

    def edits(self):
        asked = {"snapshot": self.place, "items": [0]}
        change = {"title": "Title", "caption": "Caption", "rating": 4, "favourite": True, "addTags": ["Tried"]}
        self.ask("edit", "PATCH", "/api/items", json={**asked, "set": change})
        self.ask("not by the page", "PATCH", "/api/items", headers={"X-Agonyfs": None}, json={**asked, "set": change})
        self.ask("section with an edit", "GET", "/api/section/{s}/{k}", f"/api/section/{self.place}/0")
        self.ask("trash", "POST", "/api/trash", json=asked)
        gone = self.client.ask("GET", "/api/sections?trash=1").json()
        assert gone["count"] == 1, gone
        self.ask("restore", "POST", "/api/restore", json={"snapshot": gone["snapshot"], "items": [0]})
        self.place = self.client.ask("GET", "/api/sections?group=none").json()["snapshot"]

    def albums(self):
        self.ask("albums", "GET", "/api/albums")
        self.ask("albums in one", "GET", "/api/albums", f"/api/albums?path={coded('2024')}")
        self.ask("cover", "GET", "/api/cover", f"/api/cover?path={coded('Scans')}")
        for name in ("Tried & true", "Tried & true", "", "a/b", "ü" * 128):
            self.ask(f"new album {name[:20]!r} {len(self.answers)}", "POST", "/api/albums", json={"parent": "", "name": name})
        path = {"path": coded("Tried & true")}
        self.ask("rename", "POST", "/api/albums/{word}", "/api/albums/rename", json={**path, "name": "Tried"})
        self.ask("rename to one that is", "POST", "/api/albums/{word}", "/api/albums/rename",
                 json={"path": coded("Tried"), "name": "Scans"})
        self.ask("add", "POST", "/api/albums/{word}", "/api/albums/add",
                 json={"snapshot": self.place, "items": [1], "album": coded("Tried")})
        self.ask("delete", "POST", "/api/albums/{word}", "/api/albums/delete", json={"path": coded("Tried")})

    def others(self):
        def listed(name, query):
            return self.ask(f"files: {name}", "GET", "/api/files", "/api/files" + query).json()

        listed("root", "")
        files = listed("an album", f"?album={coded('2024')}")
        assert [each["name"] for each in files["files"]] == ["drawing.svg", "notes.pdf"], files
        # Nobody is told while something is examined.
        end = time.monotonic() + real.LIMIT
        while not self.client.ask("GET", "/api/albums/files").json():
            assert time.monotonic() < end
            time.sleep(0.05)
        self.ask("counts of files", "GET", "/api/albums/files")
        self.ask("counts of files in an album", "GET", "/api/albums/files", f"/api/albums/files?path={coded('2024')}")
        for form in ("original", "original?download=1", "preview", "full"):
            self.ask(f"file: {form}", "GET", "/api/item/{s}/{n}/{form}", f"/api/item/{files['snapshot']}/0/{form}")
        asked = {"snapshot": files["snapshot"], "items": [0, 1]}
        self.ask("move", "POST", "/api/albums/{word}", "/api/albums/move", json={**asked, "album": coded("Scans")})
        files = listed("where they are now", f"?album={coded('Scans')}")
        assert files["count"] == 2, files
        self.ask("trash of files", "POST", "/api/trash", json={"snapshot": files["snapshot"], "items": [0, 1]})
        files = listed("trash", "?trash=1")
        assert files["count"] == 2, files
        self.ask("restore of files", "POST", "/api/restore", json={"snapshot": files["snapshot"], "items": [0, 1]})

    def archive(self):
        ticket = self.ask("archive", "POST", "/api/zip", json={"snapshot": self.place, "items": [2, 3]}).json()["ticket"]
        for name in ("", " that was used"):
            self.ask(f"progress{name}", "GET", "/api/zip/{ticket}/progress", f"/api/zip/{ticket}/progress")
            self.ask(f"ticket{name}", "GET", "/api/zip/{ticket}", f"/api/zip/{ticket}")

    def upload(self):
        tus = {"Tus-Resumable": "1.0.0"}

        def begin(name, size):
            said = {"filename": name, "album": "", "relativePath": "", "modified": "1700000000000", "resume": "1"}
            metadata = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in said.items())
            answer = self.ask(f"upload of {name}", "POST", "/api/upload", headers={
                **tus, "Upload-Length": str(size), "Upload-Metadata": metadata})
            return answer.headers["Location"]

        def piece(name, address, offset, content, hashed=None):
            digest = base64.b64encode(hashlib.sha256(hashed or content).digest()).decode()
            self.ask(name, "PATCH", "/api/upload/{id}", address, {
                **tus, "Upload-Offset": str(offset), "Upload-Checksum": f"sha256 {digest}",
                "Content-Type": "application/offset+octet-stream"}, data=content)

        first, last = PIECES
        address = begin("long.bin", len(first + last))
        piece("wrong hash", address, 0, last, first)
        piece("first piece", address, 0, first)
        piece("wrong place", address, 0, first)
        self.ask("where it is", "HEAD", "/api/upload/{id}", address, tus)
        begin("long.bin", len(first + last))
        piece("last piece", address, len(first), last)
        self.ask("where it was", "HEAD", "/api/upload/{id}", address, tus)
        self.ask("no upload", "HEAD", "/api/upload/{id}", "/api/upload/0123456789abcdef0123456789abcdef", tus)
        self.ask("end of an upload", "DELETE", "/api/upload/{id}", begin("never.bin", 5), tus)
        self.ask("positions", "POST", "/api/positions", json={"paths": [coded("never.jpg")]})


@unittest.skipUnless(real.WEB, "AGONYFS_TEST_WEB names no agonyfs-web")
class StandInTests(unittest.TestCase):
    maxDiff = None

    def test_answers_are_those_of_the_true_server(self):
        server, _ = true_server()
        true = Trial(server.address(), real.ONE)
        with stand_in(300) as address:
            other = Trial(address, "photos")
        for name, answer in true.answers.items():
            with self.subTest(name):
                self.assertEqual(other.answers[name], answer)
        known = {(route.method, route.path) for part in (Gallery(None, None), Uploads(None)) for route in part.routes()}
        self.assertEqual(known - true.asked, set(), "a route that is not compared")
