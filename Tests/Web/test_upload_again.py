"""Uploads that failed or were cancelled, and what is tried again."""

import os

from page_photos import noise
from uploading import UploadPageTest, drop_held


class UploadAgainTests(UploadPageTest):
    def photo(self, name, seed):
        """A photo that is in no album: its path and its bytes."""
        path = os.path.join(self.folder, name)
        noise(64, 48, seed).save(path)
        with open(path, "rb") as file:
            return path, file.read()

    def test_a_photo_that_is_there_is_not_stored_twice(self):
        page = self.login()
        begun = []
        page.on("response", lambda answer: answer.status == 201 and begun.append(answer.headers["location"]))
        path, content = self.photo("kept.jpg", 5001)
        self.choose(page, [path])
        self.finished(page, "1 file verified, safe to delete")
        # As after seven days.
        self.assertEqual(page.evaluate("""place => fetch(place, { method: 'DELETE',
            headers: { 'Tus-Resumable': '1.0.0', 'X-Agonyfs': '1' } }).then(answer => answer.status)""", begun[0]), 204)
        self.choose(page, [path, self.file("new.bin", b"new")])
        self.finished(page, "2 files verified, safe to delete on the phone (1 already there)")
        page.wait_for_selector(".files .done >> text=Already there as kept.jpg, verified")
        self.assertEqual([name for name in os.listdir(self.mount) if name.startswith("kept")], ["kept.jpg"])
        self.arrived("kept.jpg", content)

    def test_what_another_album_has_is_not_stored_if_that_is_chosen(self):
        page = self.login()
        path, content = self.photo("copy-one.jpg", 5002)
        with open(f"{self.mount}/Scans/elsewhere.jpg", "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        self.choose(page, [path])
        self.finished(page, "1 file verified, safe to delete")
        self.arrived("copy-one.jpg", content)
        os.unlink(f"{self.mount}/copy-one.jpg")
        page.click(".entry.send")
        page.click("dialog .choice[aria-pressed=false] >> text=Skip files that are already in another album")
        page.wait_for_selector("dialog .choice[aria-pressed=true] >> text=Skip files that are already in another album")
        page.click("dialog >> text=Cancel")
        self.choose(page, [self.file("copy-two.jpg", content)])
        self.finished(page, "1 file verified, safe to delete on the phone (1 already there)")
        page.wait_for_selector(".files .done >> text=Already there as Scans/elsewhere.jpg, verified")
        self.assertNotIn("copy-two.jpg", os.listdir(self.mount))
        self.arrived("Scans/elsewhere.jpg", content)

    def test_what_is_left_of_a_cancelled_upload_changes_nothing_of_the_next(self):
        page = self.login()
        drop_held(page, "cancelled.txt")
        self.until(page, "Boolean(window.held?.['cancelled.txt'])")
        page.click(".upload-panel [aria-label=Cancel]")
        page.wait_for_selector(".upload-panel .summary >> text=Cancelled")
        drop_held(page, "next.txt")
        self.until(page, "Boolean(window.held['next.txt'])")
        page.evaluate("window.held['cancelled.txt']()")
        drop_held(page, "last.txt")
        self.until(page, "Boolean(window.held['last.txt'])")
        page.evaluate("window.held['last.txt']()")
        page.wait_for_selector(".upload-panel .summary >> text=1 of 2 files")
        page.evaluate("window.held['next.txt']()")
        self.finished(page, "2 files verified, safe to delete")
        self.assertNotIn("cancelled.txt", os.listdir(self.mount))

    def test_what_was_cancelled_takes_no_room_when_the_panel_is_closed(self):
        page = self.login()
        held, begun = [], []
        page.on("response", lambda answer: answer.status == 201 and begun.append(answer.headers["location"]))

        def kept():
            """Which of the uploads the server has."""
            return [page.evaluate("""place => fetch(place, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } })
                .then(answer => answer.status)""", place) for place in begun]

        page.route("**/api/upload/*", lambda route: held.append(route) if route.request.method == "PATCH"
                   else route.continue_())
        self.choose(page, [self.file(f"room-{number}.bin", b"room") for number in range(2)])
        self.until_here(page, lambda: len(held) == 2)
        self.assertEqual(kept(), [200, 200])
        page.click(".upload-panel [aria-label=Cancel]")
        page.wait_for_selector(".upload-panel .summary >> text=Cancelled")
        self.assertEqual(kept(), [200, 200], "they can be tried again")
        page.click(".upload-panel [aria-label=Close]")
        self.until_here(page, lambda: kept() == [404, 404])

    def test_what_waits_to_be_tried_again_ends_with_cancel(self):
        page = self.login()
        page.route("**/api/upload", lambda route: route.abort())
        self.choose(page, [self.file("waits.bin", b"waits")])
        page.wait_for_selector(".files >> text=Waiting for the connection")
        page.click(".upload-panel [aria-label=Cancel]")
        page.wait_for_selector(".files .stopped >> text=Cancelled")
        self.assertEqual(page.locator(".files .part").count(), 0)
        # One that is cancelled before it begins to wait does not wait either.
        self.assertEqual(page.evaluate("""async () => {
            const { wait } = await import('/assets/tus.js');
            const stop = new AbortController();
            stop.abort();
            return Promise.race([wait(30000, stop.signal).catch((problem) => problem.name),
                new Promise((resolve) => setTimeout(resolve, 5000, 'waits'))]);
        }"""), "AbortError")

    def test_what_failed_and_what_is_dropped_goes_to_the_album_that_was_meant(self):
        page = self.login()
        page.click(".rail [data-part=albums]")
        page.click(".tile .picture >> text=Scans")
        page.wait_for_selector("h1 >> text=Scans")
        page.route("**/api/upload", lambda route: route.fulfill(status=403, json={"error": "no", "detail": "No."}))
        drop_held(page, "scan.txt")
        self.until(page, "Boolean(window.held['scan.txt'])")
        # Another album is shown meanwhile: what is dropped now is for that one.
        page.click(".rail [data-part=albums]")
        page.click(".tile .picture >> text=2025")
        page.wait_for_selector("h1 >> text=2025")
        drop_held(page, "new.txt")
        self.until(page, "Boolean(window.held['new.txt'])")
        page.evaluate("window.held['scan.txt'](), window.held['new.txt']()")
        self.finished(page, "Keep the originals")
        page.unroute("**/api/upload")
        page.click(".rail [data-part=photos]")
        page.click(".upload-panel >> text=Try again")
        self.until(page, "Boolean(window.held['scan.txt'])")
        page.evaluate("window.held['scan.txt'](), window.held['new.txt']()")
        self.finished(page, "2 files verified")
        self.arrived("Scans/scan.txt", b"scan.txt")
        self.arrived("2025/new.txt", b"new.txt")

    def test_what_was_verified_before_a_cancel_is_shown(self):
        page = self.login()
        page.route("**/api/positions", lambda route: route.fulfill(json={"missing": 0, "pending": 0}))
        self.choose(page, [self.file("before.bin", b"before")])
        drop_held(page, "never.txt")
        page.wait_for_selector(".files .done")
        with page.expect_request("**/api/sections*"):
            page.click(".upload-panel [aria-label=Cancel]")

    def test_what_was_cancelled_can_be_tried_again_and_only_all_of_it_is_safe_to_delete(self):
        page = self.login()
        # The first one fails once, so that there is something to try again however little of the rest was begun.
        page.route("**/api/upload", lambda route: route.fulfill(status=403, json={"error": "no", "detail": "No."}), times=1)
        names = [f"one-of-{number}.txt" for number in range(6)]
        for name in names:
            drop_held(page, name)
        self.release(page, names[0])
        page.wait_for_selector(".files li.failed")
        self.release(page, names[1])
        page.wait_for_selector(".upload-panel .summary >> text=1 of 6 files")
        self.until(page, f"Boolean(window.held['{names[4]}'])")
        page.click(".upload-panel [aria-label=Cancel]")
        page.wait_for_selector(".upload-panel .summary >> text=Cancelled. 1 file verified before")
        page.evaluate("window.old = window.held, window.held = {}")
        page.click(".upload-panel >> text=Try again")
        # What is left of the cancelled ones takes nothing away.
        page.evaluate("Object.values(window.old).forEach((open) => open())")
        for name in [names[5], names[0], *names[2:5]]:
            self.release(page, name)
        self.finished(page, "6 files verified, safe to delete")
        for name in names:
            self.arrived(name, name.encode())

    def test_what_is_cancelled_at_its_end_is_asked_for_where_it_is(self):
        page = self.login()
        begun, held = [], []
        page.on("request", lambda request: request.method == "POST" and request.url.endswith("/api/upload") and begun.append(1))
        # The server has the last piece, and looks whether it is stored as it was sent.
        page.route("**/api/upload/*", lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_())
        self.choose(page, [self.file("end.bin", os.urandom(1000))])
        self.until_here(page, lambda: held)
        page.click(".upload-panel [aria-label=Cancel]")
        page.wait_for_selector(".files .stopped")
        held.pop().abort()
        page.unroute("**/api/upload/*")
        page.click(".upload-panel >> text=Try again")
        self.finished(page, "1 file verified, safe to delete")
        self.assertEqual(len(begun), 1)

    def test_what_is_cancelled_before_anything_failed_can_be_tried_again(self):
        page = self.login()
        drop_held(page, "first.txt")
        self.until(page, "Boolean(window.held['first.txt'])")
        page.click(".upload-panel [aria-label=Cancel]")
        page.evaluate("window.held = {}")
        page.click(".upload-panel >> text=Try again")
        self.release(page, "first.txt")
        self.finished(page, "1 file verified, safe to delete")

    def test_what_failed_stays_counted_until_the_panel_is_closed(self):
        page = self.login()
        page.route("**/api/upload", lambda route: route.fulfill(status=403, json={"error": "no", "detail": "No."}), times=1)
        drop_held(page, "refused.txt")
        self.release(page, "refused.txt")
        self.finished(page, "0 files verified, 1 not")
        for name in ("second.txt", "third.txt"):
            drop_held(page, name)
            self.release(page, name)
        self.finished(page, "2 files verified, 1 not. Keep the originals")
        self.assertEqual(page.inner_text(".files .failed bdi"), "refused.txt")
        page.click(".upload-panel >> text=Try again")
        self.release(page, "refused.txt")
        self.finished(page, "3 files verified, safe to delete")
        # Once people have closed the panel they have seen it.
        page.route("**/api/upload", lambda route: route.fulfill(status=403, json={"error": "no", "detail": "No."}), times=1)
        drop_held(page, "forgotten.txt")
        self.release(page, "forgotten.txt")
        self.finished(page, "0 files verified, 1 not")
        page.click(".upload-panel [aria-label=Close]")
        drop_held(page, "after.txt")
        self.release(page, "after.txt")
        self.finished(page, "1 file verified, safe to delete")
