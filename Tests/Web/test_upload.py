"""Uploads: verified, cut and resumed, chosen again after a reload, folders, and what is said about positions."""

import io
import os

from PIL import Image

from support import HeldUpload
from uploading import UploadPageTest, UploadStandInTest, drop_held

MEGABYTE = 1 << 20


def jpeg(position, kind="JPEG"):
    """A photo of a camera, with or without a position."""
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Canon", "EOS"
    if position:
        exif.get_ifd(0x8825).update({1: "N", 2: (48.0, 51.0, 30.0), 3: "E", 4: (2.0, 17.0, 40.0)})
    out = io.BytesIO()
    Image.new("RGB", (64, 48), (90, 120, 150)).save(out, kind, exif=exif)
    return out.getvalue()


class UploadTests(UploadPageTest):
    def test_files_are_verified_and_positions_are_asked_for(self):
        page = self.login("phone")
        files = {"with.jpg": jpeg(True), "without.jpg": jpeg(False), "empty.jpg": b"",
                 "long.bin": os.urandom(17 * MEGABYTE + 5)}
        self.choose(page, [self.file(name, content) for name, content in files.items()])
        self.finished(page)
        self.assertIn("4 files verified", page.inner_text(".upload-panel .summary"))
        page.wait_for_selector(".notes >> text=1 photo without a position")
        for name, content in files.items():
            self.arrived(name, content)

    def test_the_screen_stays_on_until_all_is_sent(self):
        page = self.login("phone")
        page.evaluate("""() => {
            const ask = navigator.wakeLock.request.bind(navigator.wakeLock);
            const locks = window.locks = [];
            navigator.wakeLock.request = async (kind) => { const lock = await ask(kind); locks.push(lock); return lock; };
        }""")
        held = []
        page.route("**/api/upload/*", lambda route: held.append(route) if not held else route.continue_())
        self.choose(page, [self.file("screen.bin", os.urandom(MEGABYTE))])
        self.until_here(page, lambda: held)
        self.assertEqual(page.evaluate("locks.map(lock => [lock.type, lock.released])"), [["screen", False]])
        held[0].continue_()
        self.finished(page)
        self.until(page, "locks.length === 1 && locks[0].released")

    def test_positions_of_every_kind_of_photo_are_told_after_safe_to_delete(self):
        page = self.login()
        page.clock.install()
        held = []
        page.route("**/api/positions", lambda route: held.append(route))
        self.choose(page, [self.file("here.webp", jpeg(True, "WEBP")), self.file("gone.webp", jpeg(False, "WEBP")),
                           self.file("gone.png", jpeg(False, "PNG"))])
        self.finished(page, "3 files verified, safe to delete")
        for _ in range(2):
            # Nothing was examined yet.
            self.until_here(page, lambda: held or page.clock.run_for(1000))
            self.assertEqual(page.inner_text(".notes"), "")
            held.pop().fulfill(json={"missing": 0, "pending": [0, 1, 2]})
        # The page asks a few times only, so it is answered when they are examined.
        self.until_here(page, lambda: held or page.clock.run_for(1000))
        self.until_here(page, lambda: not held[0].fetch().json()["pending"])
        held.pop().continue_()
        self.until_here(page, lambda: page.inner_text(".notes"))
        self.assertIn("2 photos without a position", page.inner_text(".notes"))

    def test_positions_are_asked_for_again_after_a_cut_and_not_for_ever(self):
        page = self.login()
        page.clock.install()
        asked = []

        def cut(route):
            asked.append(route)
            route.abort()

        page.route("**/api/positions", cut)
        self.choose(page, [self.file("unknown.jpg", jpeg(False))])
        self.finished(page)
        self.until_here(page, lambda: len(asked) == 10 or page.clock.run_for(1000))
        for _ in range(5):
            page.clock.run_for(2000)
            page.evaluate("fetch('/api/state')")
        self.assertEqual(len(asked), 10)
        self.assertIn("safe to delete", page.inner_text(".upload-panel .summary"))

    def test_a_name_that_exists_is_said(self):
        page = self.login()
        for content in (b"first", b"other"):
            self.choose(page, [self.file("twice.jpg", content)])
            self.finished(page)
        page.wait_for_selector(".files >> text=Verified, saved as twice (2).jpg")
        self.arrived("twice.jpg", b"first")
        self.arrived("twice (2).jpg", b"other")

    def test_an_upload_that_is_cut_goes_on(self):
        page = self.login()
        cut = []
        page.route("**/api/upload/*", lambda route: cut.append(1) or route.abort()
                   if route.request.method == "PATCH" and len(cut) < 2 else route.fallback())
        content = os.urandom(20 * MEGABYTE)
        self.choose(page, [self.file("cut.bin", content)])
        self.finished(page)
        self.assertEqual(len(cut), 2)
        self.arrived("cut.bin", content)

    def test_an_upload_whose_last_answer_was_lost_is_there_once(self):
        page = self.login()
        lost = []

        def lose(route):
            response = route.fetch()
            if "agonyfs-verified" in response.headers and not lost:
                lost.append(1)
                return route.abort()
            return route.fulfill(response=response)

        page.route("**/api/upload/*", lose)
        content = os.urandom(1000)
        self.choose(page, [self.file("lost.bin", content)])
        self.finished(page)
        self.assertEqual(lost, [1])
        self.assertEqual([name for name in os.listdir(self.mount) if name.startswith("lost")], ["lost.bin"])
        self.arrived("lost.bin", content)

    def test_after_a_reload_what_was_sent_is_not_sent_again(self):
        page = self.login()
        path = self.file("again.bin", os.urandom(30 * MEGABYTE))
        pieces = HeldUpload(page, 16)
        self.choose(page, [path])
        self.until_here(page, lambda: pieces.held)
        pieces.reload()
        self.choose(page, [path])
        self.finished(page)
        self.assertEqual(pieces.sent, [16, 24])

    def test_another_file_of_the_same_name_begins_anew(self):
        page = self.login()
        path = self.file("other.bin", os.urandom(20 * MEGABYTE))
        time = os.stat(path).st_mtime_ns
        pieces = HeldUpload(page, 16)
        self.choose(page, [path])
        self.until_here(page, lambda: pieces.held)
        pieces.reload()
        self.file("other.bin", os.urandom(20 * MEGABYTE))
        os.utime(path, ns=(time, time))
        self.choose(page, [path])
        self.finished(page)
        self.assertEqual(pieces.sent, [0, 8, 16])

    def test_a_folder_keeps_its_paths(self):
        page = self.login()
        photo = jpeg(True)
        for name in ("Trip/One/a.jpg", "Trip/Two/a.jpg"):
            self.file(name, photo)
        self.choose(page, os.path.join(self.folder, "Trip"), "A whole folder")
        self.finished(page)
        page.wait_for_selector(".files >> text=Trip/One/a.jpg")
        for name in ("Trip/One/a.jpg", "Trip/Two/a.jpg"):
            self.arrived(name, photo)

    def test_a_drop_is_sent(self):
        page = self.login()
        data = page.evaluate_handle("""() => { const data = new DataTransfer();
            data.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' })); return data; }""")
        page.dispatch_event("body", "drop", {"dataTransfer": data})
        self.finished(page)

    def test_a_drop_without_a_file_deletes_nothing(self):
        page = self.login()
        page.evaluate("""() => {
            const createReader = () => ({ readEntries: (done) => done([]) });
            const drop = new Event('drop', { cancelable: true });
            drop.dataTransfer = { types: ['Files'], items: [{ kind: 'file',
                webkitGetAsEntry: () => ({ isDirectory: true, name: 'empty', createReader }) }] };
            dispatchEvent(drop); }""")
        self.finished(page, "No files were found")
        self.assertNotIn("safe to delete", page.inner_text(".upload-panel"))

    def test_a_space_that_is_only_read_takes_no_drop(self):
        page = self.open()
        self.say_of_state(page, readOnly=True)
        self.enter(page)
        drop_held(page, "never.txt")
        self.assertTrue(page.evaluate("window.dropped.defaultPrevented"))
        self.assertEqual(page.evaluate("Object.keys(window.held)"), [])
        self.assertFalse(page.is_visible(".upload-panel"))

    def test_a_folder_that_is_slow_to_read_holds_no_file_that_is_known(self):
        page = self.login()
        page.evaluate("""async () => {
            const { FileQueue } = await import('/assets/files.js');
            const queue = new FileQueue();
            queue.addFiles([new File(['x'], 'x')], 'album');
            queue.addEntries([{ isDirectory: true, name: 'slow', createReader: () => ({ readEntries: () => {} }) }], '');
            queue.next().then((next) => { window.next = next.album; });
        }""")
        self.until(page, "window.next === 'album'")

    def test_what_is_not_what_was_sent_is_not_verified(self):
        page = self.login()

        def falsify(route):
            if route.request.method != "PATCH":
                return route.fallback()
            response = route.fetch()
            route.fulfill(response=response, headers={**response.headers, "agonyfs-checksum": "AAAA"})

        page.route("**/api/upload/*", falsify)
        self.choose(page, [self.file("mixed.bin", b"from here")])
        self.finished(page, "Keep the originals")
        self.assertNotIn("safe to delete", page.inner_text(".upload-panel"))

    def test_a_folder_that_cannot_be_read_fails_and_the_others_are_sent(self):
        page = self.login()
        found = page.evaluate("""async () => {
            const { FileQueue } = await import('/assets/files.js');
            const file = (name) => ({ isFile: true, name, file: (done) => done(new File(['x'], name)) });
            const folder = (name, parts) => ({ isDirectory: true, name, createReader: () => ({
                readEntries: (done, failed) => {
                    const part = parts.shift();
                    if (part) done(part); else if (part === null) failed(new Error('no')); else done([]);
                } }) });
            const queue = new FileQueue();
            queue.addEntries([folder('A', [[file('1'), folder('B', [null]), file('2')], null]), file('3')]);
            const found = [];
            for (let next = await queue.next(); next; next = await queue.next()) {
                found.push([next.path, await next.file().then((file) => file.name, () => 'failed')]);
            }
            return found;
        }""")
        self.assertEqual(found, [["A/1", "1"], ["A/B", "failed"], ["A/2", "2"], ["A", "failed"], ["", "3"]])

    def test_many_files_keep_the_list_short(self):
        page = self.login()
        self.choose(page, [self.file(f"many-{number}.bin", bytes([number % 256])) for number in range(150)])
        self.finished(page)
        self.assertIn("150 files", page.inner_text(".upload-panel .summary"))
        self.assertLessEqual(page.locator(".files li").count(), 60)


class ManyUploadsTests(UploadStandInTest):
    def test_positions_are_asked_for_in_portions_until_the_panel_is_closed(self):
        page = self.login()
        page.clock.install()
        asked = []

        def answer(route):
            asked.append(len(route.request.post_data_json["paths"]))
            route.fulfill(json={"missing": 0, "pending": list(range(asked[-1]))})

        page.route("**/api/positions", answer)
        self.choose(page, [self.file(f"some-{number}.bin", bytes([number % 256])) for number in range(501)])
        self.finished(page)
        self.until_here(page, lambda: len(asked) == 2)
        self.until_here(page, lambda: len(asked) == 4 or page.clock.run_for(1000))
        self.assertEqual(asked, [500, 1, 500, 1])
        page.click(".upload-panel [aria-label=Close]")
        page.clock.run_for(30_000)
        page.evaluate("fetch('/api/state')")
        self.assertEqual(len(asked), 4)
