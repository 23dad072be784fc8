"""What the page tells the server while it is open, and what keeps it open though nobody touches it."""

from support import PageTest
from uploading import UploadPageTest, UploadStandInTest


def later(page, milliseconds):
    """Lets time pass on the page's clock. The page looks every 5 s; what jumps over several looks does one of them only."""
    page.clock.fast_forward(milliseconds)
    page.clock.run_for(5_000)


class SessionTests(PageTest):
    def asked(self, page, milliseconds=26_000):
        with page.expect_response("**/api/state*"):
            later(page, milliseconds)

    def test_a_hidden_page_that_downloads_is_not_locked_before_it_has_everything(self):
        page = self.login(clock=True)
        state = self.say_of_state(page, downloads=0)
        page.locator(".cell.photo >> nth=0").click()
        with page.expect_download():
            page.click(".viewer [aria-label=Download]")
        state["downloads"] = 1
        self.hide(page, True)
        for _ in range(4):
            self.asked(page)
        self.assertGreater(page.locator(".cell").count(), 0)
        self.hide(page, False)
        self.until(page, "!document.body.hidden")
        self.assertGreater(page.locator(".cell").count(), 0)
        state["downloads"] = 0
        self.hide(page, True)
        self.asked(page)
        page.clock.fast_forward(70_000)
        page.wait_for_selector("#password")

    def test_who_comes_back_sees_nothing_before_it_is_known_that_something_is_downloaded(self):
        page = self.login(clock=True)
        state = self.say_of_state(page, downloads=1)
        self.asked(page)
        held, is_over = [], []
        page.route("**/api/state*", lambda route: route.fallback() if is_over else held.append(route))
        self.hide(page, True)
        # As if the browser had stopped the page meanwhile.
        page.clock.set_system_time(page.evaluate("Date.now()") + 90_000)
        self.hide(page, False)
        self.assertTrue(page.evaluate("document.body.hidden"))
        state["downloads"] = 0
        self.until_here(page, lambda: held)
        is_over.append(True)
        for route in held:
            route.fallback()
        page.wait_for_selector("#password")

    def test_tabs_have_one_session(self):
        page = self.login(clock=True)
        other = page.context.new_page()
        other.goto(self.root)
        other.wait_for_selector(".cell")
        page.evaluate("new BroadcastChannel('agonyfs').onmessage = () => { window.told = true; }")
        self.hide(page, True)
        for _ in range(3):
            page.clock.fast_forward(40_000)
            # The other tab is seen.
            page.evaluate("window.told = false")
            other.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
            self.until(page, "window.told")
            later(page, 1000)
            self.assertGreater(page.locator(".cell").count(), 0)
        # As if the browser had stopped this one meanwhile.
        page.clock.set_system_time(page.evaluate("Date.now()") + 90_000)
        self.hide(page, False)
        self.assertTrue(page.evaluate("document.body.hidden"))
        self.until(page, "!document.body.hidden")
        self.assertGreater(page.locator(".cell").count(), 0)
        # The lock of one is that of all, at once.
        other.click(".entry >> text=Lock")
        page.wait_for_selector("#password")
        other.wait_for_selector("#password")

    def test_a_video_that_plays_is_a_use(self):
        page = self.login(clock=True)
        page.fill(".search input", "type:video")
        page.keyboard.press("Enter")
        page.locator(".cell.video >> nth=0").click()
        page.keyboard.press("Space")
        self.until(page, "document.querySelector('.viewer video')?.currentTime > 0.1")
        # It is asked how it stands, not how long it takes.
        page.evaluate("Object.defineProperty(document.querySelector('video'), 'paused', { get: () => window.stands })")
        page.clock.fast_forward(595_000)
        page.clock.run_for(10_000)
        self.assertEqual(page.locator("#password").count(), 0)
        page.evaluate("window.stands = true")
        page.clock.fast_forward(595_000)
        page.clock.run_for(10_000)
        page.wait_for_selector("#password")

    def test_a_browser_that_is_not_known_any_more_is_told_what_to_do(self):
        page = self.login(clock=True)
        page.context.clear_cookies(name="__Host-pairing")
        self.asked(page)
        page.wait_for_selector(".login >> text=Scan the code")
        self.assertEqual(page.locator(".cell").count(), 0)
        self.assertEqual(page.evaluate("window.name"), "")

    def test_an_open_page_says_that_it_is_there_and_whether_it_is_used(self):
        page = self.login(clock=True)

        def asked():
            """What is asked within half a minute of the page's clock; the server ends a session after 90 s."""
            with page.expect_request("**/api/state*") as request:
                later(page, 26_000)
            return request.value.url.partition("/api/state")[2]

        asked()
        for _ in range(3):
            self.assertEqual(asked(), "")
        page.evaluate("addEventListener('wheel', () => { window.isTurned = true; })")
        page.mouse.wheel(0, 100)
        self.until(page, "window.isTurned")
        self.assertEqual(asked(), "?used=1")
        self.assertEqual(asked(), "")


class InterruptedUploadTests(UploadPageTest):
    def begun(self):
        page = self.login(clock=True)
        self.choose(page, [self.file("first.bin", b"first")])
        self.finished(page)
        page.route("**/api/upload*", lambda route: route.abort())
        self.choose(page, [self.file("secret-name.bin", b"second")])
        page.wait_for_selector(".files >> text=Waiting for the connection")
        return page

    def test_what_a_lock_interrupted_is_said_without_names(self):
        page = self.begun()
        self.end_session(page)
        later(page, 26_000)
        page.wait_for_selector("#login-problem >> text=1 not")
        self.assertNotIn("secret-name", page.content())
        self.assertEqual(page.evaluate("window.name"), "")
        page.reload()
        page.wait_for_selector("#password")
        self.assertEqual(page.inner_text("#login-problem"), "")

    def test_a_page_that_sends_says_so_and_locks_when_nothing_goes_any_more(self):
        page = self.begun()
        with page.expect_request("**/api/state*busy=1*"):
            later(page, 26_000)
        for _ in range(20):
            page.clock.fast_forward(26_000)
        self.assertEqual(page.locator("#password").count(), 0)
        page.clock.fast_forward(100_000)
        page.clock.run_for(10_000)
        page.wait_for_selector("#login-problem >> text=1 not")

    def test_choosing_files_for_long_locks_nothing(self):
        page = self.login(clock=True)
        page.click(".entry.send")
        with page.expect_file_chooser() as chooser:
            page.click("dialog .choice >> text=Original files")
        self.hide(page, True)
        page.clock.fast_forward(100_000)
        self.hide(page, False)
        chooser.value.set_files([self.file("late.bin", b"late")])
        self.finished(page)


class FailedEndTests(UploadStandInTest):
    def test_an_end_that_could_not_be_written_is_done_again(self):
        page = self.login()
        self.server(full=1)
        self.choose(page, [self.file("end.bin", b"x" * (9 << 20))])
        self.finished(page, "1 file verified, safe to delete")
