"""Login and lock: what opens, what does not, and that nothing is left."""

from support import PageTest


class LoginTests(PageTest):
    def test_browsers_are_not_offered_to_save_the_password(self):
        page = self.open()
        # What a manager of passwords looks for is a form, a name, or a field that is said to be one.
        self.assertEqual(page.locator("form, input[name]").count(), 0)
        self.assertEqual(page.get_attribute("#password", "autocomplete"), "one-time-code")

    def test_wrong_password_is_said_and_the_right_one_opens(self):
        page = self.open()
        page.keyboard.press("Enter")
        self.assertIn("Type the password", page.inner_text("#login-problem"))
        page.fill("#password", "never")
        page.keyboard.press("Enter")
        self.until(page, "document.getElementById('login-problem').textContent.includes('opens nothing')")
        self.assertEqual(page.input_value("#password"), "")
        self.assertTrue(page.evaluate("document.activeElement.id === 'password'"))
        page.fill("#password", self.password)
        page.click("[aria-label=Open]")
        page.wait_for_selector(".cell img.shown")
        self.assertEqual(page.title(), "agonyfs")

    def left(self, page):
        return page.evaluate("""() => ({
            cells: document.querySelectorAll('.cell, .tile, .slide, dialog').length,
            media: [...document.querySelectorAll('img, video')].length,
            text: document.body.innerText, storage: localStorage.length + sessionStorage.length,
            history: JSON.stringify(history.state) + location.href })""")

    def test_lock_leaves_nothing(self):
        page = self.login()
        page.click(".cell >> nth=2")
        page.wait_for_selector(".slide[data-stage]")
        name = page.inner_text(".titles .name")
        blobs = page.evaluate("[...document.querySelectorAll('.cell img')].map(image => image.src).filter(Boolean)")
        self.assertTrue(blobs)
        # Before the page is loaded anew, it is empty already.
        page.route("**/lock", lambda route: route.abort())
        page.evaluate("document.getElementById('app').inert = false")
        page.evaluate("[...document.querySelectorAll('.entry')].pop().click()")
        self.until(page, "document.querySelectorAll('.cell').length === 0")
        dead = page.evaluate("""async (blobs) => (await Promise.all(blobs.map(blob => fetch(blob).then(() => 1, () => 0))))
            .reduce((a, b) => a + b, 0)""", blobs)
        self.problems.clear()  # what was revoked and asked for is an error in the console, as it has to be
        self.assertEqual(dead, 0)
        left = self.left(page)
        self.assertEqual((left["cells"], left["media"], left["storage"]), (0, 0, 0), left)
        self.assertNotIn(name, left["text"])

    def test_lock_ends_the_session(self):
        page = self.login()
        page.click(".entry >> text=Lock")
        page.wait_for_selector("#password")
        left = self.left(page)
        self.assertEqual((left["cells"], left["media"], left["storage"]), (0, 0, 0), left)
        self.assertEqual(page.evaluate("fetch('/api/albums').then(a => a.status)"), 401)

    def test_a_hidden_page_locks_and_one_that_uploads_does_not(self):
        page = self.login(clock=True)
        self.hide(page, True)
        page.clock.fast_forward(50_000)
        self.hide(page, False)
        self.assertGreater(page.locator(".cell").count(), 0)
        self.hide(page, True)
        page.clock.fast_forward(70_000)
        self.until(page, "document.querySelectorAll('.cell').length === 0")
        # It is loaded anew. A context that is closed in the middle of that may never end.
        page.wait_for_selector("#password")

    def test_a_session_that_ended_on_the_server_locks_the_page(self):
        page = self.login()
        self.end_session(page)
        page.click("[data-part=albums]")
        page.wait_for_selector("#password")
        self.assertEqual(page.locator(".cell").count(), 0)
