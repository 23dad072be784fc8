"""The panel with the facts of a photo, and what is edited there."""

from support import PageTest


class FactsTests(PageTest):
    def test_facts_have_room(self):
        page = self.login()
        self.open_facts(page)
        heights = page.evaluate(
            "[...document.querySelectorAll('.facts dd')].map(each => each.firstChild.getBoundingClientRect().height)")
        self.assertGreater(len(heights), 3)
        self.assertEqual(page.locator(".facts h3").all_inner_texts(), ["Words", "Time and place", "Camera", "File"])
        self.assertLess(max(heights), 80)

    def test_times_among_the_facts_are_told_to_the_second(self):
        page = self.login()
        self.open_facts(page)
        self.assertEqual(page.inner_text(".facts dt:text-is('modified') + dd bdi").replace("\u202f", " "),
                         "Thu, August 15, 2024 at 12:00:05 PM UTC")
        taken = page.inner_text(".facts dt:text-is('taken') + dd bdi").replace("\u202f", " ")
        self.assertRegex(taken, r"^Sat, December 28, 2024 at 12:00:00 PM \+02:00$")
        shown = page.evaluate("""async () => {
            const { moment } = await import('/assets/format.js');
            return ['2019', '2019-07', '2019-07-14 21:30', '<b>'].map(moment); }""")
        self.assertEqual([text.replace("\u202f", " ") for text in shown],
                         ["2019", "July 2019", "Sun, July 14, 2019 at 9:30 PM", "<b>"])

    def test_names_that_were_asked_for_before_an_edit_are_forgotten_too(self):
        page = self.login()
        names = page.evaluate("""async () => {
            const { Snapshot } = await import('/assets/snapshot.js');
            const true_ = fetch;
            const answers = [];
            window.fetch = () => new Promise((resolve) => {
                answers.push((title) => resolve(new Response(JSON.stringify([{ title }])))); });
            const snapshot = new Snapshot({ snapshot: 'x', count: 1, sections: [{ title: '', first: 0, count: 1 }] },
                new ArrayBuffer(8), {});
            const before = snapshot.facts(0);
            snapshot.forget();
            const after = snapshot.facts(0);
            answers[1]?.('new');
            await after.catch(() => {});
            answers[0]('old');
            await before;
            window.fetch = true_;
            return snapshot.known(0)?.title; }""")
        self.assertEqual(names, "new")

    def test_facts_and_edits(self):
        page = self.login()
        self.open_facts(page)
        page.fill("#edit-title", "<b>Bold</b> \u202egnp")
        page.keyboard.press("Enter")
        self.until(page, "document.querySelector('.titles .name').textContent.includes('<b>Bold</b>')")
        self.assertEqual(page.locator(".titles b").count(), 0)
        self.assertNotIn("\u202e", page.inner_text(".titles .name"))
        page.fill("#edit-tags", "Tests/Page")
        page.keyboard.press("Enter")
        page.wait_for_selector(".chip >> text=Tests/Page")
        page.click(".facts [aria-label='4 stars']")
        page.wait_for_selector(".facts [aria-label='4 stars'][aria-checked=true]")
        self.assertNotIn("\u202e", page.get_attribute(".viewer [aria-label*=Bold]", "aria-label"))
        page.route("**/api/items", lambda route: route.abort())
        page.click(".facts [aria-label='2 stars']")
        page.wait_for_selector("#said >> text=agonyfs cannot be reached")
        page.wait_for_selector(".facts [aria-label='4 stars'][aria-checked=true]")
        page.unroute("**/api/items")
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")
        self.open_photo(page)
        page.keyboard.press("i")
        page.wait_for_selector(".chip >> text=Tests/Page")
        page.click("[aria-label='Remove Tests/Page']")
        page.wait_for_selector(".chip >> text=Tests/Page", state="detached")
        page.fill("#edit-title", "")
        page.keyboard.press("Enter")

    def test_a_name_that_was_asked_for_before_an_edit_is_not_shown_after_it(self):
        page = self.login()
        self.open_facts(page)
        held = []
        # The first photo is in the first section; the grid asks for others meanwhile.
        page.route("**/api/section/*/0", lambda route: route.continue_() if held else held.append((route, route.fetch())))
        page.fill("#edit-title", "Older")
        page.keyboard.press("Enter")
        self.until_here(page, lambda: held)
        page.fill("#edit-title", "Newer")
        page.keyboard.press("Enter")
        page.wait_for_selector(".titles .name >> text=Newer")
        with page.expect_response("**/api/section/*/0"):
            held[0][0].fulfill(response=held[0][1])
        page.evaluate("fetch('/api/state').then((response) => response.text())")
        self.assertEqual(page.inner_text(".titles .name"), "Newer")
        page.fill("#edit-title", "")
        page.keyboard.press("Enter")
