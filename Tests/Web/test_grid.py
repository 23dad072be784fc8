"""The grid: all photos reachable, few elements, selection, search, albums."""

from support import PageTest, StandInTest, Touch

# What is in the trash goes back.
RESTORE = """async () => {
    const api = await import('/assets/api.js');
    const { snapshot, count } = await api.sections({ trash: '1' });
    await api.restore(snapshot, Array.from({ length: count }, (_, number) => number)); }"""


class Grid:
    def settle(self, page):
        page.wait_for_timeout(250)
        self.until(page, """[...document.querySelectorAll('.cell')].filter(c => { const b = c.getBoundingClientRect();
            return b.bottom > 80 && b.top < innerHeight; }).every(c => c.firstChild.classList.contains('shown'))""")

    def seen(self, page):
        """The first and the last photo of the two rows at the top of the screen."""
        return page.evaluate("""() => {
            const top = document.querySelector('.scroller').getBoundingClientRect().top;
            const rows = [...document.querySelectorAll('.row')].filter(row => row.getBoundingClientRect().bottom > top + 1)
                .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
            return { first: rows[0].firstChild.item, last: rows[1].lastChild.item }; }""")

    def total(self, page):
        return int(page.inner_text(".about p").split()[0].replace(",", ""))


class ManyPhotosTests(Grid, StandInTest):
    count = 100_000

    def test_the_last_photo_is_reached_with_few_elements(self):
        for size in ("phone", "desktop"):
            with self.subTest(size):
                page = self.login(size)
                total = self.total(page)
                most = 0
                for part in (0.2, 0.5, 0.8, 1):
                    self.scrub(page, part)
                    self.settle(page)
                    most = max(most, page.evaluate("document.querySelectorAll('.canvas *').length"))
                self.assertLessEqual(most, 400)
                page.focus(".cell[tabindex='0'], .scroller")
                page.keyboard.press("End")
                self.settle(page)
                self.until(page, f"document.activeElement.item === {total - 1}")
                self.assertLessEqual(page.evaluate("document.querySelector('.canvas').offsetHeight"), 8_000_000)

    def test_what_is_at_the_top_stays_there_when_the_size_changes_fast(self):
        page = self.login()
        self.scrub(page, 0.5)
        self.settle(page)
        seen = self.seen(page)
        rows = int(page.get_attribute(".canvas", "aria-rowcount"))
        page.evaluate("""() => { const slider = document.querySelector('.bar .size');
            for (const value of [2, -2, 3]) {
                slider.value = value;
                slider.dispatchEvent(new Event('input'));
            } }""")
        count = "Number(document.querySelector('.canvas').getAttribute('aria-rowcount'))"
        self.until(page, f"{count} > {rows} * 1.2")
        self.settle(page)
        # It is in the first row, perhaps not as its first photo, and the row above may be seen in part.
        now = self.seen(page)
        self.assertLessEqual(now["first"], seen["last"])
        self.assertGreaterEqual(now["last"], seen["first"])


class GridTests(Grid, PageTest):
    def test_a_fine_screen_is_sharp_when_nothing_moves(self):
        page = self.open("phone", device_scale_factor=3)
        asked = []
        page.on("request", lambda request: request.url.endswith("/api/thumbs") and asked.append(request.post_data_json))
        page.fill("#password", self.password)
        page.keyboard.press("Enter")
        seen = """[...document.querySelectorAll('.cell')].filter(c => { const b = c.getBoundingClientRect();
            return b.bottom > 0 && b.top < innerHeight && !c.classList.contains('video'); })"""
        self.until(page, f"""(seen => seen.length > 3 && seen.every(c => Math.max(c.firstChild.naturalWidth,
            c.firstChild.naturalHeight) > 256 && c.firstChild.classList.contains('shown')))({seen})""")
        self.assertEqual(asked[0]["size"], 256)
        first = next(number for number, request in enumerate(asked) if request["size"] != 256)
        small = {item for request in asked[:first] for item in request["items"]}
        sharp = [item for request in asked[first:] if request["size"] != 256 for item in request["items"]]
        self.assertLessEqual(set(sharp), small, "each has its small one first")
        self.assertLess(len(sharp), len(small), "those that are not seen have the small one alone")

    def test_thumbnails_that_are_cancelled_are_not_taken_for_missing(self):
        page = self.login()
        said = page.evaluate("""async () => {
            const api = await import('/assets/api.js');
            const { snapshot } = await api.sections({});
            const controller = new AbortController();
            const arrived = [];
            const items = Array.from({ length: 60 }, (_, number) => number);
            return api.thumbs(snapshot, items, 256, controller.signal, (item) => {
                arrived.push(item);
                // Longer than one slice of the work.
                for (const end = performance.now() + 20; performance.now() < end;);
                controller.abort();
            }).then(() => `ended with ${arrived.length}`, (error) => error.name);
        }""")
        self.assertEqual(said, "AbortError")

    def test_scrubber_by_keyboard_says_months(self):
        page = self.login()
        page.focus(".scrubber")
        before = page.get_attribute(".scrubber", "aria-valuenow")
        page.keyboard.press("PageDown")
        self.settle(page)
        self.assertRegex(page.get_attribute(".scrubber", "aria-valuetext"), r"[A-Z][a-z]+ \d{4}")
        page.keyboard.press("End")
        self.settle(page)
        self.assertNotEqual(page.get_attribute(".scrubber", "aria-valuenow"), before)

    def test_the_size_of_thumbnails_is_remembered_while_the_page_is_open(self):
        for size, place in (("desktop", ".bar"), ("phone", ".about")):
            with self.subTest(size):
                page = self.login(size)
                slider = page.locator("[aria-label='Size of thumbnails']:visible")
                self.assertEqual(slider.count(), 1)
                height = "document.querySelector('.view[aria-label=%s] .cell')?.offsetHeight"
                usual = page.evaluate(height % "Photos")
                slider.focus()
                page.keyboard.press("End")
                self.until(page, f"{height % 'Photos'} > {usual * 1.7}")
                self.assertEqual(slider.get_attribute("aria-valuetext"), "244%")
                self.assertEqual(page.locator(f"{place} .size:focus").count(), 1, "it goes on by keys")
                page.keyboard.press("Home")
                self.until(page, f"{height % 'Photos'} < {usual * 0.8}")
                self.assertEqual(slider.get_attribute("aria-valuetext"), "51%")
                page.click("[data-part=favourites]")
                page.wait_for_selector(".view[aria-label=Favourites]")
                page.click("[data-part=photos]")
                page.wait_for_selector(".view[aria-label=Photos] .cell img.shown")
                self.assertLess(page.evaluate(height % "Photos"), usual * 0.8)
                self.assertEqual(slider.get_attribute("aria-valuetext"), "51%")
                page.focus(".cell[tabindex='0']")
                page.keyboard.press("+")
                self.assertEqual(slider.get_attribute("aria-valuetext"), "64%")
                kept = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, window.name, location.href]")
                self.assertEqual(kept, [0, 0, "", "", self.root + "/"])
                page.reload()
                page.wait_for_selector(".cell img.shown")
                self.assertEqual(slider.get_attribute("aria-valuetext"), "100%")

    def test_every_row_is_filled_and_every_photo_is_in_one(self):
        page = self.login()
        found = page.evaluate("""async () => {
            const { Layout } = await import('/assets/layout.js');
            const aspects = Array.from({ length: 5000 }, (_, i) => 0.3 + (i * 7919 % 1000) / 300);
            const snapshot = { count: 5000, aspect: (i) => aspects[i],
                groups: [{ title: 'a', first: 0, count: 1 }, { title: 'b', first: 1, count: 3999 },
                    { title: 'c', first: 4000, count: 1000 }] };
            const layout = new Layout(snapshot, { width: 1000, height: 200, gap: 4, header: 50, lead: 0 });
            await layout.run(() => {});
            let next = 0, uneven = 0, overlaps = 0;
            for (let row = 0; row < layout.rows; row += 1) {
                if (layout.first[row] !== next) return 'gap';
                next = layout.end(row);
                const edges = layout.edges(row);
                const right = edges[edges.length - 1] - 4;
                if (right > 1000) overlaps += 1;
                if (![1, 4000, 5000].includes(next) && right !== 1000) uneven += 1;
                if (row > 0 && layout.top[row] < layout.top[row - 1] + layout.tall[row - 1]) overlaps += 1;
            }
            return [next, uneven, overlaps];
        }""")
        self.assertEqual(found, [5000, 0, 0])

    def test_selection_by_click_shift_title_and_keys(self):
        page = self.login()
        page.hover(".cell >> nth=1")
        page.locator(".cell >> nth=1").click(position={"x": 18, "y": 18})
        self.assertEqual(page.inner_text(".count"), "1 selected")
        page.locator(".cell >> nth=5").click(modifiers=["Shift"])
        self.assertEqual(page.inner_text(".count"), "5 selected")
        page.keyboard.press("Escape")
        self.assertEqual(page.locator(".count").count(), 0)
        page.click(".whole >> nth=0")
        number = page.inner_text(".whole small >> nth=0")
        self.assertEqual(page.inner_text(".count"), f"{number} selected")
        page.click(".whole >> nth=0")
        self.assertEqual(page.locator(".count").count(), 0)
        page.focus(".cell >> nth=0")
        page.keyboard.press("Space")
        page.keyboard.press("Shift+ArrowRight")
        self.assertEqual(page.inner_text(".count"), "2 selected")
        page.keyboard.press("Control+a")
        page.keyboard.press("Control+a")
        page.keyboard.press("Control+a")
        self.assertEqual(page.inner_text(".count"), f"{self.total(page):,} selected")

    def test_selection_by_a_long_press_and_a_drag(self):
        page = self.login("phone")
        touch = Touch(page)
        # Of one month, which is far enough above the lower edge, where the grid would scroll.
        boxes = [page.locator(f".cell >> nth={n}").bounding_box() for n in (0, 3)]
        start, end = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
        touch.send("touchStart", start)
        page.wait_for_selector(".count >> text=1 selected")
        for step in range(1, 9):
            touch.send("touchMove", (start[0] + (end[0] - start[0]) * step / 8, start[1] + (end[1] - start[1]) * step / 8))
            page.wait_for_timeout(15)
        touch.send("touchEnd")
        self.until(page, "document.querySelector('.count').textContent === '4 selected'")
        touch.tap(*start)
        self.until(page, "document.querySelector('.count').textContent === '3 selected'")

    def test_selection_by_a_drag_with_the_mouse(self):
        page = self.login()
        middles = [page.locator(f".cell >> nth={n}").bounding_box() for n in range(5)]
        middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in middles]
        # From the mark of a photo, and from anywhere where something is selected.
        for start, end, count in ((0, 3, 4), (4, 1, 5)):
            x, y = middles[start]
            if start == 0:
                box = page.locator(".cell >> nth=0").bounding_box()
                x, y = box["x"] + 18, box["y"] + 18
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(*middles[end], steps=8)
            page.mouse.up()
            self.until(page, f"document.querySelector('.count')?.textContent === '{count} selected'")
        self.assertEqual(page.locator(".viewer").count(), 0)
        page.keyboard.press("Escape")
        # Without a mark it is no selection.
        page.mouse.move(*middles[0])
        page.mouse.down()
        page.mouse.move(*middles[3], steps=8)
        page.mouse.up()
        self.assertEqual(page.locator(".count, .viewer").count(), 0)

    def test_a_query_with_a_mistake_shows_the_place(self):
        page = self.login()
        page.keyboard.press("/")
        page.keyboard.type('paris "eiffel')
        page.keyboard.press("Enter")
        page.wait_for_selector(".mistake mark")
        self.assertIn("quote", page.inner_text(".mistake p"))
        page.keyboard.press("Escape")
        page.wait_for_selector(".cell img.shown")

    def test_suggestions_by_keyboard(self):
        page = self.login()
        page.keyboard.press("/")
        page.keyboard.type("fam")
        page.wait_for_selector(".suggestions li")
        page.keyboard.press("ArrowDown")
        self.assertEqual(page.get_attribute(".search input", "aria-activedescendant"), "suggestion-0")
        page.keyboard.press("Enter")
        self.until(page, "document.querySelector('h1').textContent.includes('found')")
        self.assertEqual(page.input_value(".search input").strip(), 'tag:="Family"')

    def test_groups_and_order(self):
        page = self.login()
        for name in ("Day", "Place", "Tag", "No groups"):
            page.click("[aria-label='Group and sort']")
            page.click(f"dialog .choice >> text='{name}'")
            page.wait_for_selector(".cell img.shown")
            self.until(page, f"document.querySelectorAll('.header').length {'===' if name == 'No groups' else '>'} 0")

    def test_trash_and_restore(self):
        page = self.login()
        before = self.total(page)
        page.locator(".cell >> nth=0").click(modifiers=["Control"])
        page.click("[aria-label='Move to trash']")
        page.click("dialog .button.danger")
        self.until(page, f"document.querySelector('.about p')?.textContent.startsWith('{before - 1:,}')")
        page.click("[data-part=trash]")
        page.wait_for_selector(".view[aria-label=Trash] .cell")
        page.locator(".cell >> nth=0").click(modifiers=["Control"])
        page.click("[aria-label=Restore]")
        page.wait_for_selector("text=The trash is empty.")

    def test_what_is_gone_after_an_error_is_not_shown(self):
        page = self.login()

        def done_but_not_told(route):
            route.fetch()
            route.fulfill(status=503, json={"error": "busy", "detail": "Too much."})

        page.route("**/api/trash", done_but_not_told)
        self.addCleanup(page.evaluate, RESTORE)
        total = self.total(page)
        page.locator(".cell >> nth=0").click(modifiers=["Control"])
        page.locator(".cell >> nth=4").click(modifiers=["Shift"])
        page.click("[aria-label='Move to trash']")
        page.click("dialog .button.danger")
        page.wait_for_selector("#said >> text=Too much")
        self.assertEqual(page.inner_text(".count"), "5 selected", "it can be tried again")
        page.click("[aria-label='End the selection']")
        self.until(page, f"document.querySelector('.about p')?.textContent.includes('{total - 5:,}')")

    def test_downloads_are_the_bytes_of_the_server(self):
        page = self.login()
        page.locator(".cell >> nth=0").click(modifiers=["Control"])
        with page.expect_download() as one:
            page.click("[aria-label=Download]")
        self.assertTrue(one.value.suggested_filename)
        page.locator(".cell >> nth=1").click()
        page.click("[aria-label=Download]")
        with page.expect_download() as archive:
            page.click("dialog >> text=ZIP")
        with open(archive.value.path(), "rb") as file:
            self.assertEqual(file.read(4), b"PK\x03\x04")
