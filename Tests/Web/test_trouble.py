"""The page in front of the true server when things go wrong: a server that is killed, photos whose texts are meant to harm.

Runs when AGONYFS_TEST_WEB names agonyfs-web.
"""

import os
import shutil
import signal
import subprocess

from PIL import Image
from playwright.sync_api import Error

import real
from client import ServerTest
from real import LIMIT
from support import HeldUpload, PageTest, chromium

MEGABYTE = 1 << 20
HTML = "<img src=x onerror=window.harmed=1><b>bold</b>"
TURNED = "photo\u202egpj.exe"


class TroubleTests(ServerTest):
    until, until_here = PageTest.until, PageTest.until_here

    def setUp(self):
        super().setUp()
        self.vault = real.Vault(self.folder)

    def serve(self):
        server = real.Server(self.vault)
        self.closing.callback(server.end)
        return server

    def page(self, server):
        """A browser that logged in."""
        browser = self.closing.enter_context(chromium("--ignore-certificate-errors"))
        page = browser.new_context(ignore_https_errors=True).new_page()
        page.set_default_timeout(LIMIT * 1000)
        self.log_in(page, server)
        return page

    def log_in(self, page, server):
        page.goto(server.address())
        page.fill("#password", real.ONE)
        page.keyboard.press("Enter")
        page.wait_for_selector(".entry.send")

    def viewer_of(self, path, name):
        """A browser that shows a file which is alone in the space."""
        with self.vault.mounted(real.ONE) as place:
            shutil.copy(path, f"{place}/{name}")
            self.vault.agonyfs("thumbnails", place)
        page = self.page(self.serve())
        page.wait_for_selector(".cell img.shown")
        page.click(".cell >> nth=0")
        return page

    def test_an_upload_goes_on_after_the_server_was_killed(self):
        server = self.serve()
        page = self.page(server)
        content = os.urandom(40 * MEGABYTE)
        path = self.file("numbat.bin", content)
        pieces = HeldUpload(page, 24)
        real.choose(page, path)
        self.until_here(page, lambda: pieces.held)
        self.assertEqual(pieces.sent, [0, 8, 16, 24])
        os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait(LIMIT)
        pieces.held[0].abort()
        pieces.held = None
        # Nothing is called safe to delete, and the page says that it has no connection.
        page.wait_for_selector(".upload-panel >> text=Waiting for the connection")
        self.assertFalse(page.is_visible("text=safe to delete"))
        page.on("dialog", lambda dialog: dialog.accept())
        del pieces.sent[:]
        # Another server is scanned anew; the file is chosen again, and what had arrived is not sent again.
        self.log_in(page, self.serve())
        real.choose(page, path)
        page.wait_for_selector(".upload-panel .summary >> text=safe to delete")
        self.assertEqual(pieces.sent, [24, 32])
        page.click(".entry >> text=Lock")
        page.wait_for_selector("#password")
        self.assertEqual(self.vault.mounts(), [])
        with self.vault.mounted(real.ONE) as place:
            self.same(content, f"{place}/numbat.bin")

    def test_texts_of_photos_are_text(self):
        photo = f"{self.folder}/harm.jpg"
        real.noise(800, 600, 7).save(photo, quality=80)
        subprocess.run(
            ["exiftool", "-q", "-overwrite_original", f"-XMP-dc:Title={HTML}", f"-XMP-dc:Description={TURNED}",
             f"-EXIF:Model={HTML}", f"-XMP-dc:Subject={HTML}", photo], check=True)
        page = self.viewer_of(photo, f"{HTML.replace('/', '')} {TURNED}.jpg")
        page.wait_for_selector(".slide:not([inert])[data-stage=full]")
        page.keyboard.press("i")
        page.wait_for_selector(".facts dl")
        facts = page.inner_text(".facts")
        # The title is a field that can be changed.
        values = page.evaluate("[...document.querySelectorAll('.facts input, .facts textarea')].map(each => each.value)")
        self.assertGreaterEqual(facts.count(HTML) + values.count(HTML), 3, facts)
        self.assertNotIn("\u202e", facts + page.title())
        self.assertEqual(page.locator(".facts img, .facts b").count(), 0)
        self.assertEqual(page.evaluate("window.harmed"), None)

    def test_an_archive_that_breaks_off_says_at_which_photo(self):
        with self.vault.mounted(real.ONE) as place:
            for number, name in enumerate(["koala.jpg", "wombat.jpg", "quoll.jpg"]):
                real.noise(640, 480, number).save(f"{place}/{name}", quality=80)
            self.vault.agonyfs("thumbnails", place)
        page = self.page(self.serve())
        page.wait_for_selector(".cell img.shown")
        page.locator(".cell >> nth=0").click(modifiers=["Control"])
        page.locator(".cell >> nth=2").click(modifiers=["Shift"])
        # Somebody else deletes one of them.
        os.unlink(f"{self.vault.mounts()[0]}/wombat.jpg")
        page.click("[aria-label=Download]")
        with page.expect_download() as archive:
            page.click("dialog >> text=ZIP")
        page.wait_for_selector("#said >> text=wombat.jpg")
        self.assertTrue(archive.value.failure(), "what is not whole is saved")

    def test_what_browsers_cannot_show_is_shown_as_a_jpeg_and_downloaded_as_it_is(self):
        picture, colour = Image.new("RGB", (1600, 1200), (200, 40, 90)), (200, 40, 90)
        picture.save(f"{self.folder}/numbat.tif")
        subprocess.run(["vips", "heifsave", "numbat.tif", "numbat.heic", "--compression", "hevc"], cwd=self.folder, check=True)
        real.raw_photo(picture, f"{self.folder}/numbat.cr2")
        kinds = {"numbat.tif": "TIFF", "numbat.heic": "HEIC", "numbat.cr2": "RAW"}
        with self.vault.mounted(real.ONE) as place:
            for name in kinds:
                shutil.copy(f"{self.folder}/{name}", place)
            self.vault.agonyfs("thumbnails", place)
        page = self.page(self.serve())
        for name, kind in kinds.items():
            page.fill(".search input", f"name:{name}")
            page.keyboard.press("Enter")
            # The answer before has one photo, too.
            page.wait_for_selector(f".cell[aria-label^='{name}'] img.shown")
            page.click(f".cell[aria-label^='{name}']")
            page.wait_for_selector(".slide:not([inert])[data-stage=full]")
            page.wait_for_selector(f"text={kind}, shown as a JPEG")
            shown = page.evaluate("""() => {
                const picture = [...document.querySelectorAll('.slide:not([inert]) img')].at(-1);
                const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
                const context = canvas.getContext('2d');
                context.drawImage(picture, 0, 0, 1, 1);
                return [picture.naturalWidth, ...context.getImageData(0, 0, 1, 1).data]; }""")
            self.assertGreaterEqual(shown[0], 1024, name)
            for channel, wanted in zip(shown[1:4], colour):
                self.assertAlmostEqual(channel, wanted, delta=12, msg=name)
            with page.expect_download() as download:
                page.click(".viewer [aria-label=Download] >> nth=0")
            self.assertEqual(download.value.suggested_filename, name)
            self.same(download.value.path().read_bytes(), f"{self.folder}/{name}")
            page.keyboard.press("Escape")
            page.wait_for_selector(".viewer", state="detached")

    def test_a_video_that_the_browser_cannot_play_says_so_and_is_downloaded(self):
        video = f"{self.folder}/old.mp4"
        real.ffmpeg("-f", "lavfi", "-i", "testsrc=size=320x240:rate=10:duration=2", "-c:v", "mpeg4", video)
        page = self.viewer_of(video, "old.mp4")
        page.click(".viewer .play")
        try:
            page.wait_for_selector("text=This browser cannot play this codec.", timeout=LIMIT * 200)
        except Error:
            # Once nothing was said, and nobody knows why.
            self.fail(page.evaluate("""() => [document.hidden, document.querySelector('.viewer')?.outerHTML,
                ...[...document.querySelectorAll('video')].flatMap(video => [video.networkState, video.readyState, video.paused,
                    video.error?.code, video.error?.message])].join(' | ')"""))
        with page.expect_download() as download:
            page.click(".viewer header [aria-label=Download], .viewer [aria-label=Download] >> nth=0")
        self.same(download.value.path().read_bytes(), video)
