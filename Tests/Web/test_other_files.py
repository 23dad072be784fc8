"""What is neither a photo nor a video: sent, seen, saved byte by byte, moved, thrown away and put back, by the page."""

import contextlib
import os
import time
import urllib.parse

from playwright.sync_api import Error

from page_photos import OTHERS
from real import LIMIT
from uploading import UploadPageTest

# Names of the page's own folder of a test, and what they hold.
FILES = {"paper.pdf": b"%PDF-1.4 paper", "IMG_0001.AAE": b"<plist/>", "voice.m4a": bytes(range(256)), ".hidden": b"dots",
         "page.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>window.harmed = 1</script></svg>',
         "page.html": b"<script>window.harmed = 1</script>"}


class OtherFileTests(UploadPageTest):
    def names(self, page):
        return page.locator(".others bdi").all_inner_texts()

    def until_listed(self, page, names):
        self.until_here(page, lambda: self.names(page) == names)

    def saved(self, page, name):
        with page.expect_download() as download:
            page.click(f"[aria-label='Download {name}']")
        self.assertEqual(download.value.suggested_filename.lstrip("._"), name.lstrip("."))
        return download.value.path().read_bytes()

    def album(self, page, name):
        page.click("[data-part=albums]")
        page.click(f".tile .picture >> text={name}")
        page.wait_for_selector(f"h1 >> text={name}")

    def make(self, page, name):
        page.click("[data-part=albums]")
        page.click("text=New album")
        page.fill("dialog input", name)
        page.keyboard.press("Enter")
        page.wait_for_selector(f".tile .name >> text={name}")

    def test_what_was_sent_is_seen_saved_moved_and_deleted(self):
        page = self.login("phone")
        for name in ("Files from", "Files to"):
            self.make(page, name)
        self.album(page, "Files from")
        self.choose(page, [self.file(name, content) for name, content in FILES.items()])
        self.finished(page)
        page.click(".upload-panel [aria-label=Close]")
        self.until_listed(page, [".hidden", "IMG_0001.AAE", "page.html", "page.svg", "paper.pdf", "voice.m4a"])
        self.assertEqual(page.inner_text(".others h2"), "Other files (6)")
        self.assertIn("14 B", page.inner_text(".others li:has-text('paper.pdf')"))
        self.assertLessEqual(page.evaluate("document.querySelector('.scroller').scrollWidth"), 360)
        for name, content in FILES.items():
            self.assertEqual(self.saved(page, name), content, name)

        page.click("[aria-label='Move paper.pdf to another album']")
        page.click("dialog .choice >> text=Files to")
        page.wait_for_selector("dialog .place >> text=Files to")
        page.click("dialog .button.main")
        page.wait_for_selector("#said >> text=paper.pdf moved to Files to.")
        self.assertEqual(page.inner_text(".others h2"), "Other files (5)")
        self.assertEqual(os.listdir(f"{self.mount}/Files to"), ["paper.pdf"])
        self.arrived("Files to/paper.pdf", FILES["paper.pdf"])

        page.click("[aria-label='Move page.svg to trash']")
        page.click("dialog >> text=Cancel")
        self.assertEqual(len(self.names(page)), 5)
        page.click("[aria-label='Move page.svg to trash']")
        page.click("dialog .button.danger")
        page.wait_for_selector("#said >> text=page.svg moved to the trash.")
        self.assertFalse(os.path.exists(f"{self.mount}/Files from/page.svg"))

        page.click("[data-part=trash]")
        self.until_here(page, lambda: "page.svg" in self.names(page))
        self.assertEqual(self.saved(page, "page.svg"), FILES["page.svg"])
        page.click("[aria-label='Restore page.svg']")
        page.wait_for_selector("#said >> text=page.svg restored.")
        self.until_here(page, lambda: "page.svg" not in self.names(page))
        self.arrived("Files from/page.svg", FILES["page.svg"])
        self.assertFalse(page.evaluate("window.harmed"))

    def test_albums_count_them_apart(self):
        page = self.login()
        counts, end = [], time.monotonic() + LIMIT
        # Nobody is told while something is examined.
        while not counts:
            self.assertLess(time.monotonic(), end)
            with page.expect_response("**/api/albums/files") as answer:
                page.click("[data-part=albums]")
            counts = answer.value.json()
        tile = page.locator(".tile", has=page.locator(".name", has_text="2024"))
        self.until_here(page, lambda: "other" in tile.locator(".numbers").inner_text())
        self.assertEqual(tile.locator(".numbers").inner_text(), "16 photos · 2 other files · 1 album")
        self.album(page, "2024")
        self.until_listed(page, list(OTHERS))

    def test_files_of_the_top_are_below_the_albums(self):
        page = self.login()
        page.click("[data-part=albums]")
        page.wait_for_selector(".tile")
        self.choose(page, [self.file("top.pdf", b"%PDF-1.4 top")])
        self.finished(page)
        page.click(".upload-panel [aria-label=Close]")
        page.wait_for_selector(".others li >> text=top.pdf")
        self.assertEqual(self.saved(page, "top.pdf"), b"%PDF-1.4 top")
        os.unlink(f"{self.mount}/top.pdf")

    def test_photos_do_not_wait_for_them(self):
        page = self.login()
        self.make(page, "Files late")
        with open(f"{self.mount}/Files late/a.txt", "wb") as file:
            file.write(b"late")
        held = []
        page.route("**/api/files?*", lambda route: held.append(route))
        self.album(page, "Files late")
        page.wait_for_selector(".nothing >> text=No photos in this album")
        self.until_here(page, lambda: held)
        self.assertEqual(self.names(page), [])
        page.unroute("**/api/files?*")
        for route in held:
            # The page gave up what it asked in a view that it left.
            with contextlib.suppress(Error):
                route.continue_()
        self.until_listed(page, ["a.txt"])
        self.assertEqual(page.inner_text(".nothing"), "No photos here.")

    def test_a_photo_is_not_among_them_and_keys_of_the_list_are_its_own(self):
        page = self.login()
        self.album(page, "2024")
        self.until_listed(page, list(OTHERS))
        self.assertFalse([name for name in self.names(page) if name.endswith(".jpg")])
        page.focus("[aria-label='Move notes.pdf to trash']")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog >> text=Move notes.pdf to the trash?")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        self.assertEqual(page.locator(".viewer").count(), 0)
        page.click("[aria-label='Move drawing.svg to trash']")
        page.click("dialog .button.danger")
        page.wait_for_selector("#said >> text=drawing.svg moved to the trash.")
        # The keyboard goes on with the next one.
        self.until(page, "document.activeElement.getAttribute('aria-label') === 'Download notes.pdf'")
        page.click("[data-part=trash]")
        page.click("[aria-label='Restore drawing.svg']")
        page.wait_for_selector("#said >> text=drawing.svg restored.")
        self.album(page, "2024")
        self.until_listed(page, list(OTHERS))
        # A search finds photos.
        page.fill(".search input", "date:2024")
        page.keyboard.press("Enter")
        page.wait_for_selector("h1 >> text=found")
        self.assertEqual(page.locator(".others").count(), 0)

    def test_what_has_the_name_by_now_is_neither_moved_nor_deleted(self):
        page = self.login()
        self.make(page, "Files change")
        album = f"{self.mount}/Files change"
        with open(f"{album}/a.txt", "wb") as file:
            file.write(b"first")
        self.album(page, "Files change")
        self.until_listed(page, ["a.txt"])
        os.rename(f"{album}/a.txt", f"{album}/b.txt")
        with open(f"{album}/a.txt", "wb") as file:
            file.write(b"second")
        page.click("[aria-label='Move a.txt to trash']")
        page.click("dialog .button.danger")
        page.wait_for_selector("#said >> text=Another file has this name now")
        # What is there now is listed.
        self.until_listed(page, ["a.txt", "b.txt"])
        self.arrived("Files change/a.txt", b"second")

    def test_names_are_bytes_and_text(self):
        page = self.login()
        self.make(page, "Files odd")
        album = os.fsencode(f"{self.mount}/Files odd")
        odd = {b"x\xff.bin": "x\ufffd.bin", b"<b>bold<br>.txt": "<b>bold<br>.txt",
               "turned\u202efdp.exe".encode(): "turned\ufffdfdp.exe"}
        for name in odd:
            with open(album + b"/" + name, "wb") as file:
                file.write(name)
        self.album(page, "Files odd")
        self.until_here(page, lambda: sorted(self.names(page)) == sorted(odd.values()))
        self.assertEqual(page.locator(".others b").count(), 0)
        for name, shown in odd.items():
            page.click(f"[aria-label='Move {shown} to trash']")
            page.click("dialog .button.danger")
            page.wait_for_selector(f"#said >> text={shown} moved to the trash.")
            self.assertFalse(os.path.exists(album + b"/" + name))
        self.assertEqual(os.listdir(album), [])

    def test_nothing_of_them_is_a_page_of_this_origin(self):
        page = self.login()
        self.album(page, "2024")
        self.until_listed(page, list(OTHERS))
        answers = page.evaluate("""async () => {
            const path = new URLSearchParams({ album: btoa('2024').replaceAll('=', '') });
            const { snapshot, files } = await (await fetch(`/api/files?${path}`)).json();
            const names = ['content-type', 'content-disposition', 'x-content-type-options', 'content-security-policy'];
            return Promise.all(files.map(async ({ i, name }) => {
                const answer = await fetch(`/api/item/${snapshot}/${i}/original`);
                return [name, ...names.map(header => answer.headers.get(header))];
            }));
        }""")
        self.assertEqual([answer[0] for answer in answers], list(OTHERS))
        for name, kind, disposition, sniffing, policy in answers:
            self.assertEqual((kind, sniffing), ("application/octet-stream", "nosniff"), name)
            self.assertTrue(disposition.startswith("attachment; "), disposition)
            self.assertIn(urllib.parse.quote(name), disposition)
            self.assertTrue(policy.startswith("sandbox; "), policy)
        for path in ("../x", ".agonyfs", ".agonyfs/incoming", ".Trash-0/files", "2024/../2025"):
            status = page.evaluate("""path => {
                const words = new URLSearchParams({ album: btoa(path).replaceAll('=', '') });
                return fetch(`/api/files?${words}`).then(answer => answer.status);
            }""", path)
            self.assertEqual(status, 400, path)
