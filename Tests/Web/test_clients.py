"""The true server and what others made: a client of tus, cameras' files, and a disk that is full.

Runs when AGONYFS_TEST_WEB names agonyfs-web.
"""

import contextlib
import json
import os
import random
import struct
import subprocess
import tempfile
import unittest
from unittest import mock

from PIL import Image
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError, TusUploadFailed

import real
from client import ServerTest

MEGABYTE = 1 << 20


def photo(seed):
    """A JPEG of about 3 MB."""
    content = random.Random(seed).randbytes(1600 * 1200 * 3)
    picture = tempfile.SpooledTemporaryFile()
    with picture:
        Image.frombytes("RGB", (1600, 1200), content).save(picture, "JPEG", quality=97)
        picture.seek(0)
        return picture.read()


def apple_note(identifier):
    """The note of Apple's cameras, a directory with one entry."""
    text = identifier.encode() + b"\0"
    entry = struct.pack(">HHII", 0x11, 2, len(text), 32)
    return b"Apple iOS\0\0\x01MM" + struct.pack(">H", 1) + entry + bytes(4) + text


class TusTest(ServerTest):
    """tuspy in the session."""

    def enter(self, vault):
        super().enter(vault)
        # tuspy hands the file of an authority to some of its requests only; the environment is for all.
        others = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        trust = {**others, "REQUESTS_CA_BUNDLE": self.client.authority}
        self.closing.enter_context(mock.patch.dict(os.environ, trust, clear=True))

    def uploader(self, path, port=None, **words):
        """For a file; by another port, such as that of a relay."""
        headers = {**self.client.headers(), "Host": f"127.0.0.1:{self.server.port}"}
        client = TusClient(f"https://127.0.0.1:{port or self.server.port}/api/upload", headers)
        # It never closes what it opens itself.
        file = self.closing.enter_context(open(path, "rb"))
        return client.uploader(file_stream=file, chunk_size=MEGABYTE, metadata={"filename": os.path.basename(path)}, **words)


class ClientTests(TusTest):
    def check(self, name, content):
        """By the mount, and by the page's download."""
        self.same(content, f"{self.mount}/{name}")
        self.vault.agonyfs("thumbnails", self.mount)
        answer = self.client.item(name, "original?download=1")
        self.assertEqual((answer.status_code, answer.headers["Content-Type"]), (200, "image/jpeg"))
        self.assertIn(name, answer.headers["Content-Disposition"])
        self.assertTrue(answer.content == content, f"{name} is not what was sent")

    def test_tuspy_sends_files_in_pieces(self):
        self.enter(real.Vault(self.folder))
        for name, has_checksum in (("plain.jpg", False), ("hashed.jpg", True)):
            content = photo(name)
            self.assertGreater(len(content), 2 * MEGABYTE)
            uploader = self.uploader(self.file(name, content), upload_checksum=has_checksum)
            uploader.upload()
            said = uploader.request.response_headers
            self.assertEqual((said["agonyfs-verified"], said["agonyfs-name"]), ("1", name))
            self.assertEqual(uploader.get_offset(), len(content))
            self.check(name, content)

    def test_positions_that_are_missing_are_counted(self):
        self.enter(real.Vault(self.folder))
        paths = []
        for number, (ending, has_camera, has_position) in enumerate(
                (("jpg", True, False), ("webp", True, False), ("jpg", True, True), ("webp", True, True), ("png", False, False))):
            exif = Image.Exif()
            if has_camera:
                exif[0x010F], exif[0x0110] = "Canon", "EOS"
            if has_position:
                exif.get_ifd(0x8825).update({1: "N", 2: (48.0, 51.0, 30.0), 3: "E", 4: (2.0, 17.0, 40.0)})
            name = f"{self.folder}/{number}.{ending}"
            Image.new("RGB", (64, 48), (number, 120, 150)).save(name, exif=exif)
            uploader = self.uploader(name)
            uploader.upload()
            paths.append(uploader.request.response_headers["agonyfs-path"])
        def report(asked):
            return self.client.ask("POST", "/api/positions", json={"paths": asked})
        self.until(lambda: report(paths).json()["pending"] == [], lambda: report(paths).text)
        self.assertEqual(report(paths).json(), {"missing": 2, "pending": []})
        self.assertEqual(report([]).json(), {"missing": 0, "pending": []})
        # Nobody waits for a file that is not there.
        self.assertEqual(report([paths[0], "eC5qcGc"]).json(), {"missing": 1, "pending": []})
        for wrong in (paths * 101, ["Li4veA"], [1], None):
            self.assertIn(report(wrong).status_code, (400, 413), wrong)

    def test_tuspy_goes_on_after_a_cut(self):
        self.enter(real.Vault(self.folder))
        relay = self.closing.enter_context(contextlib.closing(real.Relay(self.server.port)))
        for name, has_checksum in (("plain.jpg", False), ("hashed.jpg", True)):
            content = photo(name)
            path = self.file(name, content)
            first = self.uploader(path, relay.port, upload_checksum=has_checksum)
            first.upload_chunk()
            self.assertEqual(first.offset, MEGABYTE)
            relay.cut(MEGABYTE // 2)
            with self.assertRaises(TusUploadFailed):
                first.upload()
            self.assertIsNone(relay.left)
            self.assertEqual(os.listdir(self.mount).count(name), 0)
            # Another process of another day knows the address alone. The server may not have seen the cut yet.
            second = self.uploader(path, url=first.url, upload_checksum=has_checksum, retries=50, retry_delay=0.2)
            self.assertIn(second.offset, range(MEGABYTE, 2 * MEGABYTE))
            if has_checksum:
                self.assertEqual(second.offset, MEGABYTE)
            second.upload()
            self.check(name, content)


class LivePhotoTests(ServerTest):
    def jpeg(self, path, identifier, seed):
        exif = Image.Exif()
        exif.get_ifd(0x8769)[0x927C] = apple_note(identifier)
        real.noise(640, 480, seed).save(path, "JPEG", quality=85, exif=exif)

    def heic(self, path, identifier, seed):
        with tempfile.TemporaryDirectory() as folder:
            self.jpeg(f"{folder}/jpeg", identifier, seed)
            subprocess.run(["vips", "heifsave", f"{folder}/jpeg", path, "--compression", "hevc"], check=True)
            subprocess.run(["exiftool", "-q", "-overwrite_original", "-TagsFromFile", f"{folder}/jpeg", "-MakerNotes", path],
                           check=True)

    def movie(self, path, identifier, source):
        real.ffmpeg("-f", "lavfi", "-i", f"{source}=size=320x240:rate=25:duration=2", "-c:v", "libx264", "-pix_fmt",
                    "yuv420p", "-movflags", "use_metadata_tags",
                    "-metadata", f"com.apple.quicktime.content.identifier={identifier}", path)

    def test_a_live_photo_is_one_photo_that_moves_whatever_its_video_is_called(self):
        self.enter(real.Vault(self.folder))
        place = f"{self.folder}/camera"
        os.mkdir(place)
        one, two, three, four, five, six = (f"{digit * 8}-2222-4333-8444-555555555555" for digit in "123456")
        self.jpeg(f"{place}/IMG_1.JPG", one, 1)
        self.movie(f"{place}/IMG_1.MOV", one, "testsrc")
        self.heic(f"{place}/IMG_2.HEIC", two, 2)
        self.movie(f"{place}/IMG_2.MOV", two, "testsrc2")
        # The same name is nothing if the cameras say that they are not the same.
        self.jpeg(f"{place}/IMG_3.JPG", three, 3)
        self.movie(f"{place}/IMG_3.MOV", four, "smptebars")
        self.jpeg(f"{place}/IMG_4.JPG", five, 4)
        self.movie(f"{place}/IMG_4 (2).MOV", five, "testsrc")
        self.jpeg(f"{place}/IMG_5.JPG", six, 5)
        self.movie(f"{place}/IMG_5.mov", six, "testsrc2")
        os.rename(f"{place}/IMG_5.mov", f"{place}/IMG_5.Mov")
        subprocess.run(["cp", "-a", f"{place}/.", self.mount], check=True)
        self.vault.agonyfs("thumbnails", self.mount)
        snapshot, items = self.client.items()
        self.assertEqual(set(items), set(os.listdir(place)))
        geometry = self.client.ask("GET", f"/api/geometry/{snapshot}").content
        videos = {"IMG_1.JPG": "IMG_1.MOV", "IMG_2.HEIC": "IMG_2.MOV", "IMG_4.JPG": "IMG_4 (2).MOV", "IMG_5.JPG": "IMG_5.Mov"}
        for name, video in videos.items():
            with self.subTest(name):
                # The page has a button for it.
                self.assertEqual(geometry[items[name]["i"] * 8 + 5] & 15, 2)
                answer = self.client.item(name, "motion")
                self.assertEqual(answer.status_code, 200, answer.text)
                self.assertEqual(answer.headers["Content-Type"], "video/quicktime")
                self.same(answer.content, f"{place}/{video}")
                self.same(self.client.item(name, "original").content, f"{place}/{name}")
        self.assertEqual(self.client.item("IMG_3.JPG", "motion").status_code, 404)


@unittest.skipUnless(os.geteuid() == 0, "needs root, for a small file system")
class FullVaultTests(TusTest):
    @contextlib.contextmanager
    def disk(self):
        """A small file system of its own."""
        place = f"{self.folder}/disk"
        os.mkdir(place)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=500m", "none", place], check=True)
        try:
            yield place
        finally:
            if subprocess.run(["umount", place], check=False).returncode:
                subprocess.run(["umount", "-l", place], check=True)
                self.fail("something was left on the disk")

    def refused(self, error):
        """By one sentence, which says what to do."""
        self.assertEqual(error.status_code, 507)
        said = json.loads(error.response_content)
        self.assertEqual(said, {"error": "full", "detail": "The vault is full; make room and try again."})

    def whole(self, place, files):
        """These files, and nothing else that is seen."""
        self.assertEqual(sorted(name for name in os.listdir(place) if not name.startswith(".")), sorted(files))
        for name, content in files.items():
            self.same(content, f"{place}/{name}")

    def test_a_full_vault_keeps_what_it_has_and_takes_more_when_there_is_room(self):
        disk = self.closing.enter_context(self.disk())
        vault = real.Vault(self.folder, "--segment-size", "1M", path=f"{disk}/Vault")
        used = int(subprocess.run(["du", "-sm", disk], capture_output=True, check=True).stdout.split()[0])
        subprocess.run(["mount", "-o", f"remount,size={used + 70}m", disk], check=True)
        self.enter(vault)
        whole = {}

        def send(name, content):
            self.uploader(self.file(name, content)).upload()
            whole[name] = content
        send("seen.jpg", photo("seen"))
        send("large.bin", random.Random("large").randbytes(24 * MEGABYTE))
        self.vault.agonyfs("thumbnails", self.mount)
        late = photo("late") + random.Random("late").randbytes(5 * MEGABYTE)
        path = self.file("late.jpg", late)
        first = self.uploader(path)
        first.upload_chunk()
        other = random.Random("other").randbytes(3 * MEGABYTE)
        with self.assertRaises(TusCommunicationError) as caught:
            for number in range(100):
                send(f"{number}.bin", other)
        self.refused(caught.exception)
        self.assertGreater(len(whole), 5)
        # What was begun before has its name, and takes pieces until there is no room.
        with self.assertRaises(TusUploadFailed) as caught:
            first.upload()
        self.refused(caught.exception)
        offset = first.get_offset()
        self.assertIn(offset, range(MEGABYTE, 7 * MEGABYTE, MEGABYTE))
        self.whole(self.mount, whole)
        self.assertEqual(set(self.client.items()[1]), {"seen.jpg"})
        # Of the room that a file had, 80 % less four of the vault's files can be used at once.
        os.unlink(f"{self.mount}/large.bin")
        del whole["large.bin"]
        second = self.uploader(path, url=first.url)
        self.assertEqual(second.offset, offset)
        second.upload()
        whole["late.jpg"] = late
        send("again.bin", other)
        self.whole(self.mount, whole)
        self.client.lock()
        self.assertEqual(self.vault.mounts(), [])
        with self.vault.mounted(real.ONE) as place:
            self.whole(place, whole)
