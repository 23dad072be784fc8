"""tus 1.0.0 as the stand-in server speaks it: creation, checksum, termination; it can be told to fail at the end.

It says as well which of the files that came are of a camera and without a position.
"""

import base64
import hashlib
import os
import urllib.parse

from aiohttp import web
from PIL import Image

from stand_in_gallery import coded, problem, text

PIECE = 8 << 20


class Uploads:
    def __init__(self, folder):
        self.folder, self.parts, self.finished, self.named, self.full = folder, {}, {}, {}, 0

    def routes(self):
        return [web.post("/api/upload", self.create), web.head("/api/upload/{id}", self.head),
                web.patch("/api/upload/{id}", self.patch), web.delete("/api/upload/{id}", self.delete),
                web.post("/api/positions", self.positions)]

    async def create(self, request):
        pairs = [pair.split(" ") for pair in request.headers["Upload-Metadata"].split(",")]
        metadata = {pair[0]: base64.b64decode(pair[1]).decode() if len(pair) > 1 else "" for pair in pairs}
        size = int(request.headers["Upload-Length"])
        identity = (size, tuple(sorted(metadata.items())))
        for known, part in self.parts.items():
            if part["identity"] == identity:
                return self.created(known)
        known = os.urandom(16).hex()
        self.parts[known] = {"identity": identity, "size": size, "metadata": metadata, "digests": [],
                             "path": os.path.join(self.folder, known)}
        open(self.parts[known]["path"], "wb").close()
        return self.created(known)

    def created(self, known):
        return web.Response(status=201, headers={
            "Location": f"/api/upload/{known}", "Upload-Offset": str(self.offset(known)),
            "Agonyfs-Checksum": self.checksum(self.parts[known])})

    def offset(self, known):
        return os.path.getsize(self.parts[known]["path"])

    async def head(self, request):
        known = request.match_info["id"]
        if known in self.named:
            said = self.verified(*self.named[known])
            return web.Response(headers={**said, "Upload-Length": said["Upload-Offset"]})
        if known not in self.parts:
            return problem(404, "not-found", "This upload does not exist.")
        part = self.parts[known]
        return web.Response(headers={
            "Upload-Offset": str(self.offset(known)), "Upload-Length": str(part["size"]),
            "Agonyfs-Checksum": self.checksum(part)})

    async def patch(self, request):
        known = request.match_info["id"]
        if known not in self.parts:
            return problem(404, "not-found", "This upload does not exist.")
        part = self.parts[known]
        if int(request.headers["Upload-Offset"]) != self.offset(known):
            return web.json_response({"error": "conflict", "detail": "The next piece begins elsewhere."}, status=409)
        body = await request.read()
        algorithm, digest = request.headers["Upload-Checksum"].split(" ")
        if algorithm != "sha256" or hashlib.sha256(body).digest() != base64.b64decode(digest):
            return web.json_response({"error": "wrong-checksum", "detail": "The bytes changed on the way."}, status=460)
        with open(part["path"], "ab") as file:
            file.write(body)
        if body or part["size"] == 0:
            part["digests"].append(hashlib.sha256(body).digest())
        headers = {"Upload-Offset": str(self.offset(known)), "Agonyfs-Checksum": self.checksum(part)}
        if self.offset(known) == part["size"]:
            if self.full > 0:
                self.full -= 1
                return web.json_response({"error": "io", "detail": "It cannot be written now."}, status=503)
            name = self.free(part["metadata"])
            self.finished[name] = part["path"]
            del self.parts[known]
            self.named[known] = name, self.checksum(part)
            headers = self.verified(*self.named[known])
        return web.Response(status=204, headers=headers)

    @staticmethod
    def checksum(part):
        return base64.b64encode(hashlib.sha256(b"".join(part["digests"])).digest()).decode()

    def verified(self, name, checksum):
        size = os.path.getsize(self.finished[name])
        return {"Upload-Offset": str(size), "Agonyfs-Verified": "1",
                "Agonyfs-Checksum": checksum, "Agonyfs-Name": urllib.parse.quote(os.path.basename(name)),
                "Agonyfs-Path": coded(name)}

    def free(self, metadata):
        name = os.path.join(text(metadata["album"]), metadata.get("relativePath") or metadata["filename"])
        stem, ending = os.path.splitext(name)
        number = 1
        while name in self.finished:
            number += 1
            name = f"{stem} ({number}){ending}"
        return name

    async def positions(self, request):
        paths = (await request.json())["paths"]
        assert len(paths) <= 500
        known = [self.finished.get(text(path)) for path in paths]
        return web.json_response({"missing": sum(self.lacks_position(path) for path in known if path), "pending": []})

    @staticmethod
    def lacks_position(path):
        try:
            with Image.open(path) as image:
                exif = image.getexif()
        except OSError:
            return False
        return bool(exif.get(0x010F) or exif.get(0x0110)) and 2 not in exif.get_ifd(0x8825)

    async def delete(self, request):
        part = self.parts.pop(request.match_info["id"], None)
        if part:
            os.unlink(part["path"])
        return web.Response(status=204 if part else 404)
