"""Albums: tiles, names that are refused at the field, rename and delete by menu, long press and keyboard, nesting."""

from support import PageTest, Touch


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
        refused = {"": "Type a name", "a/b": "slash", "é" * 128: "too long", "Page test": "already", "..": "not possible"}
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

    def test_names_are_text_everywhere(self):
        page = self.albums()
        self.assertEqual(page.locator(".tile b").count(), 0)
        self.assertEqual(page.locator(".tile .name >> text=<b>not bold").count(), 1)
        self.assertFalse(page.evaluate("document.body.textContent.includes('\\u202e')"))
