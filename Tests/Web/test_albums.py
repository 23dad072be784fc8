"""Albums: tiles, names that are refused at the field, rename and delete by menu, long press and keyboard, nesting."""

import os
import subprocess

from PIL import Image

import real
from page_photos import camera
from support import PageTest, Touch

# Whether the cover of an album is more red or more blue; null until it is shown.
COVER = """name => {
    const tile = [...document.querySelectorAll('.tile')].find(each => each.querySelector('.name').textContent === name);
    const image = tile?.querySelector('img');
    if (!image?.complete || image.naturalWidth === 0) return null;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [1, 1];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, 1, 1);
    const [red, , blue] = context.getImageData(0, 0, 1, 1).data;
    return red > blue ? 'red' : 'blue'; }"""


class AlbumTests(PageTest):
    def albums(self, size="desktop"):
        page = self.login(size)
        page.click("[data-part=albums]")
        page.wait_for_selector(".about >> text=New album")
        return page

    def make(self, page, name):
        page.click("text=New album")
        page.fill("dialog input", name)
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog", state="detached")
        page.wait_for_selector(f".tile .name >> text={name}")

    def tile(self, page, name):
        return page.locator(".tile", has_text=name).locator(".picture")

    def delete(self, page, name):
        page.click("dialog .button.danger")
        page.wait_for_selector("dialog", state="detached")
        self.until(page, f"![...document.querySelectorAll('.tile .name')].some(n => n.textContent === '{name}')")

    def delete_by_key(self, page, name):
        self.tile(page, name).focus()
        page.keyboard.press("Delete")
        self.delete(page, name)

    def test_names_are_refused_at_the_field(self):
        page = self.albums()
        self.make(page, "Page test")
        page.click("text=New album")
        refused = {"": "Type a name", "a/b": "slash", "é" * 128: "too long", "Page test": "already", "..": "not allowed"}
        for name, said in refused.items():
            page.fill("dialog input", name)
            page.keyboard.press("Enter")
            self.until(page, f"document.querySelector('dialog .problem').textContent.includes('{said}')")
            self.assertEqual(page.get_attribute("dialog input", "aria-invalid"), "true")
        page.keyboard.press("Escape")
        self.tile(page, "Page test").focus()
        page.keyboard.press("F2")
        page.fill("dialog input", "Page test 2")
        page.click("dialog .button.main")
        page.wait_for_selector(".tile .name >> text=Page test 2")
        self.delete_by_key(page, "Page test 2")

    def test_delete_by_a_long_press_and_by_the_menu(self):
        page = self.albums("phone")
        for name in ("Page one", "Page two"):
            self.make(page, name)
        touch = Touch(page)
        self.tile(page, "Page one").scroll_into_view_if_needed()
        box = self.tile(page, "Page one").bounding_box()
        touch.send("touchStart", (box["x"] + 40, box["y"] + 40))
        page.wait_for_selector("dialog >> text=Move album to trash")
        touch.send("touchEnd")
        page.click("dialog >> text=Move album to trash")
        self.delete(page, "Page one")
        page.locator(".tile", has_text="Page two").locator(".button.more").click()
        page.click("dialog >> text=Move album to trash")
        page.click("dialog >> text=Cancel")
        self.assertEqual(self.tile(page, "Page two").count(), 1)
        page.locator(".tile", has_text="Page two").locator(".button.more").click()
        page.click("dialog >> text=Move album to trash")
        self.delete(page, "Page two")

    def test_the_menu_opens_again_after_it_was_cancelled(self):
        page = self.albums()
        self.make(page, "Page menu")
        tile = self.tile(page, "Page menu")
        for _ in range(2):
            tile.click(button="right")
            page.click("dialog >> text=Cancel")
            page.wait_for_selector("dialog", state="detached")
        tile.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("h1 >> text=Page menu")
        page.go_back()
        page.wait_for_selector("h1 >> text=Albums")
        self.delete_by_key(page, "Page menu")

    def test_the_question_says_how_much_there_is_now(self):
        page = self.albums()
        self.make(page, "Page grows")
        albums = page.evaluate("fetch('/api/albums').then((response) => response.json())")
        for album in albums:
            album["all"] = 1234 if album["name"] == "Page grows" else album["all"]
        page.route("**/api/albums", lambda route: route.fulfill(json=albums))
        self.tile(page, "Page grows").focus()
        page.keyboard.press("Delete")
        page.wait_for_selector("dialog >> text=1,234 photos")
        page.unroute("**/api/albums")
        self.delete(page, "Page grows")

    def test_an_older_list_does_not_replace_a_newer_one(self):
        page = self.albums()
        held = []
        page.route("**/api/albums", lambda route: held.append((route, route.fetch()))
                   if route.request.method == "GET" and not held else route.continue_())
        page.click("text=New album")
        page.fill("dialog input", "Late one")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog", state="detached")
        self.until_here(page, lambda: held)
        self.make(page, "Late two")
        with page.expect_response("**/api/albums"):
            held[0][0].fulfill(response=held[0][1])
        page.evaluate("fetch('/api/state').then((response) => response.text())")
        self.assertEqual([self.tile(page, name).count() for name in ("Late one", "Late two")], [1, 1])
        for name in ("Late one", "Late two"):
            self.delete_by_key(page, name)

    def test_albums_in_albums_and_the_way_back(self):
        page = self.albums()
        self.make(page, "Page outer")
        self.tile(page, "Page outer").click()
        page.wait_for_selector("text=No photos in this album.")
        page.click("[aria-label='More about Page outer']")
        page.click("dialog >> text=New album in this one")
        page.fill("dialog input", "Page inner")
        page.keyboard.press("Enter")
        self.tile(page, "Page inner").click()
        page.wait_for_selector("h1 >> text=Page inner")
        page.go_back()
        page.wait_for_selector("h1 >> text=Page outer")
        page.go_back()
        page.wait_for_selector("h1 >> text=Albums")
        self.delete_by_key(page, "Page outer")

    def test_photos_are_added_to_an_album(self):
        page = self.albums()
        self.make(page, "Page target")
        page.click("[data-part=photos]")
        page.wait_for_selector(".cell img.shown")
        page.locator(".cell >> nth=0").click(modifiers=["Control"])
        page.click("[aria-label='Add to album']")
        page.click("dialog .choice >> text=Page target")
        page.wait_for_selector("dialog .place >> text=Page target")
        page.click("dialog .button.main")
        page.wait_for_selector("#said >> text=1 photo added to Page target.")
        page.click("[data-part=albums]")
        self.delete_by_key(page, "Page target")

    def choose_photo(self, page, name):
        page.locator(f".cell[aria-label^='{name}']").click(modifiers=["Control"])
        page.wait_for_selector(".bar.selection")

    def until_cover(self, page, name, colour):
        self.until_here(page, lambda: page.evaluate(COVER, name) == colour)

    def test_a_photo_is_the_cover_until_it_goes(self):
        page = self.albums("phone")
        self.make(page, "Page cover")
        for year, (name, colour) in enumerate({"red.jpg": (200, 0, 0), "blue.jpg": (0, 0, 200)}.items(), 2020):
            Image.new("RGB", (400, 300), colour).save(
                f"{self.mount}/Page cover/{name}", exif=camera(f"{year}:05:01 12:00:00"))
        subprocess.run([real.program(), "thumbnails", self.mount], check=True, capture_output=True, env=real.ENVIRONMENT)
        page.click("[data-part=albums]")
        # The newest, until another is chosen.
        self.until_cover(page, "Page cover", "blue")
        self.tile(page, "Page cover").click()
        self.choose_photo(page, "red.jpg")
        self.choose_photo(page, "blue.jpg")
        self.assertFalse(page.is_visible("[aria-label='Use as album cover']"), "an album has one cover")
        self.choose_photo(page, "blue.jpg")
        self.assertLessEqual(page.evaluate("document.querySelector('.acts').scrollWidth"), 360)
        page.click("[aria-label='Use as album cover']")
        page.wait_for_selector("#said >> text=This is the cover of Page cover now.")
        page.go_back()
        self.until_cover(page, "Page cover", "red")
        os.rename(f"{self.mount}/Page cover/red.jpg", f"{self.mount}/Page cover/renamed.jpg")
        page.reload()
        page.wait_for_selector(".cell img.shown")
        page.click("[data-part=albums]")
        self.until_cover(page, "Page cover", "red")
        self.tile(page, "Page cover").click()
        self.choose_photo(page, "renamed.jpg")
        page.click("[aria-label='Move to trash']")
        page.click("dialog .button.danger")
        self.until(page, "document.querySelectorAll('.cell').length === 1")
        page.go_back()
        self.until_cover(page, "Page cover", "blue")
        self.delete_by_key(page, "Page cover")

    def test_the_trash_is_emptied_of_what_was_asked_about(self):
        page = self.albums()
        self.make(page, "Page trash")
        with open(f"{self.mount}/Page trash/notes.txt", "wb") as file:
            file.write(b"notes")
        self.delete_by_key(page, "Page trash")
        trash = f"{self.mount}/.Trash-{os.getuid()}"
        count = sum(len(names) for _, _, names in os.walk(f"{trash}/files"))
        page.click("[data-part=trash]")
        for button in ("Cancel", "Delete for good"):
            page.click("[aria-label='Empty the trash']")
            page.wait_for_selector(f"dialog >> text=Delete {count} file{'s' if count > 1 else ''} for good?")
            page.wait_for_selector("dialog >> text=everything in the trash")
            if button == "Cancel":
                page.click("dialog >> text=Cancel")
                page.wait_for_selector("dialog", state="detached")
                self.assertTrue(os.path.exists(f"{trash}/files/Page trash/notes.txt"))
        # What is thrown away between the question and the answer stays.
        for path in ("files/late.txt", "info/late.txt.trashinfo", "files/Page trash/late.txt"):
            with open(f"{trash}/{path}", "wb") as file:
                file.write(b"[Trash Info]\nPath=late.txt\n")
        page.click("dialog >> text=Delete for good")
        page.wait_for_selector("#said >> text=The trash was emptied.")
        left = {os.path.relpath(f"{top}/{name}", trash) for top, _, names in os.walk(trash) for name in names}
        self.assertEqual(left, {"files/late.txt", "files/Page trash/late.txt", "info/late.txt.trashinfo",
                                "info/Page trash.trashinfo"})
        page.wait_for_selector(".others >> text=Other files (2)")
        page.click("[aria-label='Empty the trash']")
        page.click("dialog >> text=Delete for good")
        page.wait_for_selector(".nothing >> text=The trash is empty.")
        self.assertEqual(os.listdir(f"{trash}/files") + os.listdir(f"{trash}/info"), [])
        page.click("[aria-label='Empty the trash']")
        page.wait_for_selector("#said >> text=The trash is empty.")

    def test_names_are_text_everywhere(self):
        page = self.albums()
        self.assertEqual(page.locator(".tile b").count(), 0)
        self.assertEqual(page.locator(".tile .name >> text=<b>not bold").count(), 1)
        self.assertFalse(page.evaluate("document.body.textContent.includes('\\u202e')"))
