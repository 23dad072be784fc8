"""The routes of a space as the stand-in server answers them: snapshots, geometry, thumbnails, items, edits, albums."""

import base64
import io
import json
import os
import struct
import zipfile

from aiohttp import web

from stand_in_library import OtherFile


def text(path):
    return base64.urlsafe_b64decode(path + "=" * (-len(path) % 4)).decode()


def coded(path):
    return base64.urlsafe_b64encode(path.encode()).decode().rstrip("=")


def problem(status, word, detail):
    return web.json_response({"error": word, "detail": detail}, status=status)


class Gallery:
    def __init__(self, library, video):
        self.library, self.video = library, video
        self.snapshots, self.tickets = {}, {}

    def routes(self):
        return [
            web.get("/api/sections", self.sections), web.get("/api/geometry/{s}", self.geometry),
            web.get("/api/section/{s}/{k}", self.section), web.post("/api/thumbs", self.thumbs),
            web.get("/api/item/{s}/{n}/facts", self.facts), web.get("/api/item/{s}/{n}/{form}", self.item),
            web.patch("/api/items", self.edit), web.post("/api/trash", self.trash), web.post("/api/restore", self.trash),
            web.get("/api/albums", self.albums), web.get("/api/cover", self.cover), web.post("/api/albums", self.new_album),
            web.get("/api/files", self.files), web.get("/api/albums/files", self.file_counts),
            web.post("/api/albums/{word}", self.change_album), web.get("/api/suggest", self.suggest),
            web.post("/api/zip", self.zip), web.get("/api/zip/{ticket}", self.zipped),
            web.get("/api/zip/{ticket}/progress", self.zip_progress)]

    async def sections(self, request):
        query, group = request.query.get("q", ""), request.query.get("group", "month")
        album = text(request.query["album"]) if "album" in request.query else None
        if query.count('"') % 2:
            return web.json_response({"snapshot": None, "count": 0, "sections": [], "months": [], "pending": 0, "error": {
                "message": "This quote has no end", "at": query.rindex('"'), "length": 1}})
        numbers = self.library.matching(query, album, request.query.get("trash") == "1")
        sort = request.query.get("sort", "time")
        if sort == "-time":
            numbers.reverse()
        snapshot = os.urandom(8).hex()
        sections, months = [], []
        for first, number in enumerate(numbers):
            title = self.library.title(number, group)
            if not sections or sections[-1]["title"] != title or sections[-1]["count"] == 500:
                sections.append({"title": title, "first": first, "count": 0})
            sections[-1]["count"] += 1
            month = self.library.title(number, "month") if group not in ("place", "tag") else None
            if month and (not months or months[-1]["month"] != month):
                months.append({"month": month, "first": first})
        self.snapshots[snapshot] = numbers, sections
        return web.json_response({"snapshot": snapshot, "count": len(numbers), "sections": sections, "months": months,
                                  "pending": 0, "examining": False})

    async def files(self, request):
        is_trash, album = request.query.get("trash") == "1", text(request.query.get("album", ""))
        files = [each for each in self.library.others if each.is_trashed == is_trash and (is_trash or each.album == album)]
        snapshot = os.urandom(8).hex()
        self.snapshots[snapshot] = files, []
        return web.json_response({"snapshot": snapshot, "count": len(files), "pending": 0, "files": [
            {"i": number, "name": each.name, "size": len(each.content)} for number, each in enumerate(files)]})

    async def file_counts(self, request):
        parent = text(request.query.get("path", ""))
        albums = [each.album for each in self.library.others if not each.is_trashed]
        return web.json_response([{"path": coded(album), "files": albums.count(album)} for album in sorted(set(albums))
                                  if os.path.dirname(album) == parent and album])

    def numbers(self, request, name="s"):
        if request.match_info[name] not in self.snapshots:
            raise web.HTTPGone(text=json.dumps({"error": "gone", "detail": "Ask again."}), content_type="application/json")
        return self.snapshots[request.match_info[name]][0]

    async def geometry(self, request):
        return web.Response(body=self.library.geometry(self.numbers(request)), content_type="application/octet-stream")

    async def section(self, request):
        numbers = self.numbers(request)
        section = self.snapshots[request.match_info["s"]][1][int(request.match_info["k"])]
        positions = range(section["first"], section["first"] + section["count"])
        return web.json_response([self.library.item(position, numbers[position]) for position in positions])

    async def thumbs(self, request):
        asked = await request.json()
        numbers = self.snapshots[asked["snapshot"]][0]
        assert len(asked["items"]) <= 60 and asked["size"] in (256, 512, 1024)
        response = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
        await response.prepare(request)
        for position in asked["items"]:
            jpeg = self.library.pictures[self.library.which[numbers[position]]].jpeg(asked["size"])
            try:
                await response.write(struct.pack("<II", position, len(jpeg)) + jpeg)
            except ConnectionResetError:
                break  # the page wants others by now
        return response

    async def item(self, request):
        number = self.numbers(request)[int(request.match_info["n"])]
        form = request.match_info["form"]
        if isinstance(number, OtherFile):
            if form != "original":
                return problem(404, "not-found", "This file does not have this form.")
            return web.Response(body=number.content, content_type="application/octet-stream",
                                headers={"Content-Disposition": f'attachment; filename="{number.name}"'})
        picture = self.library.pictures[self.library.which[number]]
        name = self.library.name(number)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'} if request.query.get("download") else {}
        if form == "motion" or (form == "original" and self.library.kinds[number] == 1):
            return web.FileResponse(self.video, headers=headers)
        body = picture.jpeg(1024 if form == "preview" else 0)
        return web.Response(body=body, content_type="image/jpeg", headers=headers)

    async def facts(self, request):
        position = int(request.match_info["n"])
        number = self.numbers(request)[position]
        item = self.library.item(position, number)
        fact = lambda name, value, source: {"name": name, "value": value, "source": source}
        return web.json_response({
            "name": item["name"], "path": f"{self.library.album(number)}/{item['name']}", "edit": self.library.edit(number),
            "sections": [
                {"title": "file", "facts": [fact("Pixels", f"{item['width']} × {item['height']}", "file"),
                                               fact("Size", f"{item['size']:,} bytes", "file"),
                                               fact("Format", item["type"], "file")]},
                {"title": "place", "facts": [
                    fact("taken", (item["taken"] or "2024-08").replace("T", " "), "from EXIF"),
                    fact("modified", "2024-08-15 12:00:05.123456789Z", "")]},
                {"title": "camera", "facts": [fact("Camera", "Canon EOS 5D", "exif"),
                                              fact("Lens", "EF24-70mm f/2.8L", "exif"),
                                              fact("Exposure", "1/250 s, f/2.8, ISO 800", "exif")]}]})

    async def edit(self, request):
        asked = await request.json()
        numbers = self.snapshots[asked["snapshot"]][0]
        for position in asked["items"]:
            edit, change = self.library.edit(numbers[position]), dict(asked["set"])
            tags = [t for t in edit["tags"] if t not in change.get("removeTags", [])]
            edit["tags"] = tags + [t for t in change.pop("addTags", []) if t not in tags]
            change.pop("removeTags", None)
            edit.update(change)
        return web.json_response({"done": len(asked["items"]), "failed": []})

    async def trash(self, request):
        asked = await request.json()
        chosen = {self.snapshots[asked["snapshot"]][0][position] for position in asked["items"]}
        others = {each for each in chosen if isinstance(each, OtherFile)}
        for each in others:
            each.is_trashed = not request.path.endswith("restore")
        if others:
            return web.json_response({"done": len(others), "failed": []})
        self.library.trash = self.library.trash - chosen if request.path.endswith("restore") else self.library.trash | chosen
        return web.json_response({"done": len(chosen), "failed": []})

    async def albums(self, request):
        parent = text(request.query.get("path", ""))
        counts = {}
        for number in range(min(self.library.count, 5000)):
            counts[self.library.album(number)] = counts.get(self.library.album(number), 0) + 1
        below = lambda a: [b for b in self.library.albums if os.path.dirname(b) == a]
        return web.json_response([
            {"name": os.path.basename(a), "path": coded(a), "count": counts.get(a, 0),
             "all": sum(count for b, count in counts.items() if (b + "/").startswith(a + "/")), "albums": len(below(a)),
             "cover": counts.get(a, 0) > 0} for a in sorted(below(parent))])

    async def cover(self, request):
        place = hash(request.query["path"]) % len(self.library.pictures)
        return web.Response(body=self.library.pictures[place].jpeg(512), content_type="image/jpeg")

    def name_problem(self, name, whole):
        if not name.strip():
            return problem(400, "empty-name", "A name has at least one letter.")
        if "/" in name or name in (".", ".."):
            return problem(400, "bad-name", "A name cannot contain \"/\".")
        if len(name.encode()) > 255:
            return problem(400, "name-too-long", "A name has at most 255 bytes.")
        if whole in self.library.albums:
            return problem(409, "exists", "There is an album of this name.")

    async def new_album(self, request):
        asked = await request.json()
        whole = os.path.join(text(asked["parent"]), asked["name"])
        bad = self.name_problem(asked["name"], whole)
        if bad:
            return bad
        self.library.albums.append(whole)
        return web.json_response({"path": coded(whole), "name": asked["name"]})

    async def change_album(self, request):
        asked, word = await request.json(), request.match_info["word"]
        if word == "move":
            for position in asked["items"]:
                self.snapshots[asked["snapshot"]][0][position].album = text(asked["album"])
            return web.json_response({"done": len(asked["items"]), "failed": []})
        if word == "add":
            numbers = self.snapshots[asked["snapshot"]][0]
            self.library.added.update({numbers[position]: text(asked["album"]) for position in asked["items"]})
            return web.json_response({"done": len(asked["items"]), "failed": []})
        path = text(asked["path"])
        if word == "delete":
            self.library.albums = [a for a in self.library.albums if a != path and not a.startswith(path + "/")]
            return web.Response(status=204)
        whole = os.path.join(os.path.dirname(path), asked["name"])
        bad = self.name_problem(asked["name"], whole)
        if bad:
            return bad
        self.library.albums = [whole + a[len(path):] if a == path or a.startswith(path + "/") else a
                               for a in self.library.albums]
        return web.json_response({"path": coded(whole), "name": asked["name"]})

    async def suggest(self, request):
        word = request.query.get("q", "").split(" ")[-1].lower()
        known = [("Family", "tag"), ("Fireworks", "tag"), ("Paris", "place")]
        return web.json_response([{"text": text, "kind": kind, "query": f'{kind}:="{text}"', "count": 1}
                                  for text, kind in known if word and text.lower().startswith(word)])

    async def zip(self, request):
        asked = await request.json()
        ticket = os.urandom(16).hex()
        self.tickets[ticket] = [self.snapshots[asked["snapshot"]][0][position] for position in asked["items"]]
        return web.json_response({"ticket": ticket, "refused": [], "refusedCount": 0})

    async def zip_progress(self, request):
        waits = request.match_info["ticket"] in self.tickets
        return web.json_response({"state": "waiting" if waits else "ended", "reason": None})

    async def zipped(self, request):
        numbers = self.tickets.pop(request.match_info["ticket"], None)
        if numbers is None:
            return problem(410, "gone", "This ticket was used.")
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for number in numbers:
                archive.writestr(self.library.name(number), self.library.pictures[self.library.which[number]].jpeg(0))
        return web.Response(body=out.getvalue(), content_type="application/zip",
                            headers={"Content-Disposition": 'attachment; filename="photos.zip"'})
