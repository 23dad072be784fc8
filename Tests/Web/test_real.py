"""The page in front of the true server and a vault, from the QR code to the lock, and that nothing is left after it.

Runs when AGONYFS_TEST_WEB names agonyfs-web.
"""

import base64
import contextlib
import glob
import os
import tempfile
import unittest
import zipfile

from playwright.sync_api import Error, sync_playwright

import real
from client import ServerTest
from real import LIMIT
from support import SIZES, HeldUpload, PageTest, Touch

MEGABYTE = 1 << 20
# Keeps what comes with thumbnails, which the browser itself does not, as the page reads it piece by piece.
KEEP = """() => {
  const [ask, kept] = [window.fetch, window.keptThumbnails = []];
  window.fetch = async (...words) => {
    const answer = await ask(...words);
    if (String(words[0]).endsWith('/api/thumbs'))
      answer.clone().blob().then(blob => {
        const reader = new FileReader();
        reader.onload = () => kept.push(reader.result.split(',')[1] ?? '');
        reader.readAsDataURL(blob);
      }, () => {});
    return answer;
  };
}"""
SWITCHES = ["--no-sandbox", "--ignore-certificate-errors"]


@unittest.skipUnless(real.WEB, "AGONYFS_TEST_WEB names no agonyfs-web")
class RealTests(unittest.TestCase):
    """One server; each test has a browser with a profile that is searched."""

    until, until_here, same = PageTest.until, PageTest.until_here, ServerTest.same

    @classmethod
    def setUpClass(cls):
        cls.closing = contextlib.ExitStack()
        cls.addClassCleanup(cls.closing.close)
        cls.vault, cls.server = cls.closing.enter_context(real.server())
        cls.relay = cls.closing.enter_context(contextlib.closing(real.Relay(cls.server.port)))
        cls.playwright = cls.closing.enter_context(sync_playwright())

    def profile(self, size="desktop"):
        """A browser that keeps its profile in a folder, paired; the folder."""
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        width, height = SIZES[size]
        is_touch = size != "desktop"
        others = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        context = self.playwright.chromium.launch_persistent_context(
            home.name + "/profile", executable_path="/usr/bin/chromium", env={**others, "HOME": home.name},
            args=[*SWITCHES, f"--host-resolver-rules=MAP 127.0.0.1:{self.server.port} 127.0.0.1:{self.relay.port}"],
            viewport={"width": width, "height": height}, has_touch=is_touch, is_mobile=is_touch, accept_downloads=True,
            downloads_path=home.name + "/downloads", ignore_https_errors=True)
        self.addCleanup(context.close)
        page = context.pages[0]
        # A test that failed leaves no session for the next.
        self.addCleanup(self.leave, page)
        page.set_default_timeout(LIMIT * 1000)
        page.goto(self.server.address())
        page.wait_for_selector("#password")
        return page, home.name

    def login(self, page, password=real.ONE):
        page.fill("#password", password)
        page.keyboard.press("Enter")
        page.wait_for_selector(".cell img.shown")

    @staticmethod
    def leave(page):
        with contextlib.suppress(Error):
            page.evaluate("fetch('/lock', { method: 'POST', headers: { 'X-Agonyfs': '1' } }).then(() => true)")

    def lock(self, page):
        page.click(".entry >> text=Lock")
        page.wait_for_selector("#password")

    def cell(self, page, query):
        page.fill(".search input", query)
        page.keyboard.press("Enter")
        self.until(page, "document.querySelectorAll('.cell').length === 1")
        page.wait_for_selector(f".cell[aria-label^={query}] img.shown")
        return page.locator(".cell >> nth=0")

    def test_pairing_passwords_and_albums(self):
        page, _ = self.profile()
        self.assertEqual(page.evaluate("location.href"), self.server.root + "/")
        page.fill("#password", "never")
        page.keyboard.press("Enter")
        self.until(page, "document.getElementById('login-problem').textContent.includes('opens nothing')")
        self.assertEqual(self.vault.mounts(), [])
        # The next try waits for as long as the last one cost.
        self.login(page)
        self.assertEqual(len(self.vault.mounts()), 1)
        self.assertIn("27 photos", page.inner_text(".about"))
        page.click("[data-part=albums]")
        page.click(".tile >> text=Zanzibar-Quokka")
        page.wait_for_selector(".cell img.shown")
        self.assertIn("12 photos", page.inner_text(".about"))
        self.lock(page)
        self.assertEqual(self.vault.mounts(), [])

    def test_a_finger_in_the_viewer(self):
        page, _ = self.profile("phone")
        self.login(page)
        touch = Touch(page)
        page.locator(".cell.photo >> nth=1").tap()
        page.wait_for_selector(".slide:not([inert])[data-stage=full]")
        place = page.get_attribute(".viewer .stage", "aria-label")
        touch.pinch((180, 370), 80, 240)
        self.until(page, """(() => { const picture = document.querySelector('.slide:not([inert]) .picture');
            return picture.getBoundingClientRect().width > 2 * picture.offsetWidth; })()""")
        touch.pinch((180, 370), 300, 40)
        self.until(page, "!document.querySelector('.viewer.animated')")
        touch.swipe((300, 370), (60, 370))
        self.until(page, f"document.querySelector('.viewer .stage').getAttribute('aria-label') !== {place!r}")
        page.go_back()
        page.wait_for_selector(".viewer", state="detached")
        self.lock(page)

    def test_downloads_are_what_was_put_in(self):
        page, _ = self.profile()
        self.login(page)
        self.cell(page, "quokka-plain").click(modifiers=["Control"])
        with page.expect_download() as download:
            page.click("[aria-label=Download]")
        self.assertEqual(download.value.suggested_filename, "quokka-plain.png")
        self.same(download.value.path().read_bytes(), f"{self.vault.photos}/quokka-plain.png")
        page.click("[aria-label='End the selection']")
        page.fill(".search input", "name:quokka-0*")
        page.keyboard.press("Enter")
        self.until(page, "document.querySelector('h1')?.textContent === '10 photos found'")
        photos = {os.path.basename(path): path for path in glob.glob(f"{self.vault.photos}/**/quokka-0*", recursive=True)}
        page.locator(".cell >> nth=0").click(modifiers=["Control"])
        for _ in range(3):
            page.keyboard.press("Control+a")
        saved = []
        page.on("download", lambda each: saved.append(each))
        page.click("[aria-label=Download]")
        page.click("dialog >> text=As one ZIP file")
        self.until_here(page, lambda: saved)
        page.wait_for_selector("dialog", state="detached")
        with zipfile.ZipFile(saved.pop().path()) as archive:
            self.assertEqual({os.path.basename(each.filename) for each in archive.infolist()}, set(photos))
            for each in archive.infolist():
                self.assertEqual(each.compress_type, zipfile.ZIP_STORED)
                self.same(archive.read(each), photos[os.path.basename(each.filename)])
        page.click("[aria-label=Download]")
        page.click("dialog >> text=As single files")
        self.until_here(page, lambda: len(saved) == 10)
        self.assertEqual({download.suggested_filename for download in saved}, set(photos))
        for download in saved:
            self.same(download.path().read_bytes(), photos[download.suggested_filename])
        page.click("[aria-label='End the selection']")
        self.cell(page, "quokka-video").click()
        with page.expect_download() as download:
            page.click(".viewer [aria-label=Download]")
        self.same(download.value.path().read_bytes(), f"{self.vault.photos}/quokka-video.mp4")
        page.keyboard.press("Escape")
        self.lock(page)

    def test_a_video_plays_where_it_is_sought_and_a_motion_photo_moves(self):
        page, _ = self.profile()
        self.login(page)
        self.cell(page, "quokka-video").click()
        page.click(".viewer .play")
        self.until(page, "document.querySelector('.viewer video')?.currentTime > 0.1")
        page.evaluate("document.querySelector('.viewer video').currentTime = 8")
        self.until(page, "document.querySelector('.viewer video').currentTime > 8.1")
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")
        self.cell(page, "quokka-motion").click()
        page.click(".viewer .button.live")
        self.until(page, "document.querySelector('.viewer video')?.currentTime > 0.1")
        # It ends by itself.
        page.wait_for_selector(".viewer video", state="detached")
        page.keyboard.press("Escape")
        self.lock(page)

    def test_an_upload_that_is_cut_goes_on_also_after_a_reload(self):
        page, home = self.profile()
        self.login(page)
        path = f"{home}/numbat.bin"
        content = os.urandom(40 * MEGABYTE)
        with open(path, "wb") as file:
            file.write(content)
        # The second piece is cut in its middle; the one at 24 MiB is on its way when the page is loaded anew.
        pieces = HeldUpload(page, 24)
        self.relay.cut(12 * MEGABYTE)
        real.choose(page, path)
        self.until_here(page, lambda: pieces.held)
        self.assertIsNone(self.relay.left)
        # A browser itself sends once more what was cut on a connection that was used before.
        self.assertIn(pieces.sent, ([0, 8, 8, 16, 24], [0, 8, 16, 24]))
        pieces.reload()
        real.choose(page, path)
        page.wait_for_selector(".upload-panel .summary >> text=safe to delete")
        self.assertEqual(pieces.sent, [24, 32])
        # By the mount of the server, and after the next mount.
        [mount] = self.vault.mounts()
        self.same(content, f"{mount}/numbat.bin")
        self.lock(page)
        with self.vault.mounted(real.ONE) as place:
            self.same(content, f"{place}/numbat.bin")
            os.unlink(f"{place}/numbat.bin")

    def test_two_spaces_never_see_each_other_and_nothing_is_left_after_the_lock(self):
        one, home = self.profile()
        other, _ = self.profile()
        one.evaluate(KEEP)
        self.login(one)
        self.login(other, real.OTHER)
        self.assertEqual(len(self.vault.mounts()), 2)
        self.assertIn("27 photos", one.inner_text(".about"))
        self.assertIn("1 photo", other.inner_text(".about"))
        self.assertEqual([album["name"] for album in self.albums(one)], ["Zanzibar-Quokka"])
        self.assertEqual(self.albums(other), [])
        other.fill(".search input", "quokka")
        other.keyboard.press("Enter")
        self.until(other, "document.querySelector('h1')?.textContent === 'Nothing found'")
        # What one was shown is not the other's to ask for.
        asked = one.evaluate("performance.getEntriesByType('resource').map(each => new URL(each.name).pathname)")
        asked = [address for address in asked if "/geometry/" in address or "/section/" in address]
        self.assertTrue(asked)
        for address in asked:
            status = other.evaluate("address => fetch(address).then(answer => answer.status)", address)
            self.assertIn(status, (404, 410), address)
        # Everything that leaves traces: the viewer, a video, facts, a search, an album.
        self.cell(one, "quokka-plain").click()
        one.wait_for_selector(".slide:not([inert])[data-stage=full]")
        one.keyboard.press("i")
        one.wait_for_selector(".facts dl")
        one.keyboard.press("Escape")
        self.cell(one, "quokka-video").click()
        one.click(".viewer .play")
        self.until(one, "document.querySelector('.viewer video')?.currentTime > 0.1")
        one.keyboard.press("Escape")
        one.click("[data-part=albums]")
        one.click(".tile >> text=Zanzibar-Quokka")
        one.wait_for_selector(".cell img.shown")
        self.until(one, "keptThumbnails.some(each => each.length > 10_000)")
        sent = [base64.b64decode(body) for body in one.evaluate("keptThumbnails")]
        needles = [b"quokka", "quokka".encode("utf-16-le"), real.ONE.encode(), *real.plain_pixels()]
        needles += [body[len(body) // 2:][:48] for body in sent if len(body) > 10_000]
        needles += real.PRIVATE_KEYS
        photos = glob.glob(f"{self.vault.photos}/**/quokka-0*", recursive=True)
        for path in [*photos, f"{self.vault.photos}/quokka-video.mp4"]:
            needles += real.marks(path)
        self.lock(one)
        self.assertEqual(len(self.vault.mounts()), 1)
        # The other goes on.
        other.keyboard.press("Escape")
        self.assertEqual(self.albums(other), [])
        self.lock(other)
        self.assertEqual(self.vault.mounts(), [])
        # The search finds what is there: the address that was shown, and photos that lie open.
        self.assertTrue(real.found_below(self.vault.photos, *needles))
        for place in (self.vault.runtime, f"{home}/profile"):
            self.assertEqual(real.found_below(place, *needles), set())
        one.context.close()
        profile = f"{home}/profile"
        self.assertTrue(real.found_below(profile, str(self.server.port).encode()))
        self.assertEqual(real.found_below(home, *needles), set())

    def albums(self, page):
        return real.json_of(page, "/api/albums")
