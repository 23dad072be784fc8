"""What the tests of the page share: a server, a browser, a page that is logged in.

The server is the true one, in front of a vault (real.py, page_photos.py), if AGONYFS_TEST_WEB names agonyfs-web; otherwise
tests are skipped. The stand-in is for what a true server cannot show: very many photos, and answers that go wrong inside.
"""

import contextlib
import functools
import json
import os
import random
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from playwright.sync_api import Error, sync_playwright

import real
from real import LIMIT

HERE = os.path.dirname(os.path.abspath(__file__))
WHOLE = os.environ.get("AGONYFS_TEST_ALL") == "1" or "AGONYFS_TEST_HOURS" in os.environ
SIZES = {"phone": (360, 740), "tablet": (820, 1100), "desktop": (1440, 900)}


def sample(cases, count, name):
    """Cases of an enumeration, as TestLength.sample chooses them: all in a whole run, otherwise the first, the last and some."""
    cases = list(cases)
    chosen = set(range(len(cases)))
    if not WHOLE:
        chosen = {0, len(cases) - 1}
        drawn = list(range(len(cases)))
        random.Random(f"{os.environ.get('AGONYFS_TEST_SEED')} {name}").shuffle(drawn)
        chosen |= set([each for each in drawn if each not in chosen][:max(0, count - len(chosen))])
    if "AGONYFS_TEST_CASES" in os.environ:
        with open(os.environ["AGONYFS_TEST_CASES"], "a", encoding="utf-8") as file:
            file.write(f"{len(chosen)}\t{len(cases)}\t{name}\n")
    return [cases[each] for each in sorted(chosen)]


@contextlib.contextmanager
def stand_in(count):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, os.path.join(HERE, "stand_in_server.py"), "--count", str(count), "--port", str(port)]
    if os.environ.get("AGONYFS_PHOTOS"):
        command += ["--photos", os.environ["AGONYFS_PHOTOS"]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().strip()
            assert address, "the stand-in ended before it printed its address"
            yield address
        finally:
            server.terminate()
            try:
                server.wait(LIMIT)
            except subprocess.TimeoutExpired:
                server.kill()


@contextlib.contextmanager
def chromium(*switches):
    """Debian's browser, with a home of its own, so that nothing of it stays in that of who runs the tests."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        others = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", *switches], env={**others, "HOME": home})
        try:
            yield browser
        finally:
            browser.close()


@functools.cache
def true_server():
    """The server of a mounted space, and where that is, for all tests of a file. So a login mounts nothing."""
    closing = contextlib.ExitStack()
    unittest.addModuleCleanup(true_server.cache_clear)
    unittest.addModuleCleanup(closing.close)
    folder = closing.enter_context(tempfile.TemporaryDirectory(prefix="agonyfs-test-web-"))
    vault = real.page_vault(folder)
    mount = closing.enter_context(vault.mounted(real.ONE))
    server = real.Server(vault, mount=mount)
    closing.callback(server.end)
    return server, mount


class PageTest(unittest.TestCase):
    """Tests of one class share a browser; each test has a context of its own that is paired."""

    password = real.ONE

    @classmethod
    def serve(cls):
        """The address that pairs a browser."""
        if not real.WEB:
            raise unittest.SkipTest("AGONYFS_TEST_WEB names no agonyfs-web")
        server, cls.mount = true_server()
        return server.address()

    @classmethod
    def setUpClass(cls):
        cls.closing = contextlib.ExitStack()
        cls.addClassCleanup(cls.closing.close)
        address = cls.serve()
        cls.root = address[:address.index("/", 8)]
        cls.browser = cls.closing.enter_context(chromium())
        # The code is good for one use; its cookie is shared.
        with cls.browser.new_context(ignore_https_errors=True) as context:
            page = context.new_page()
            page.goto(address)
            page.wait_for_selector("#password")
            cls.cookies = context.storage_state()

    def open(self, size="desktop", clock=False, **facts):
        """A page with the password field; with `clock` its clock is the test's from the start."""
        width, height = SIZES[size]
        is_touch = size != "desktop"
        facts = {"device_scale_factor": 2 if is_touch else 1, **facts}
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, ignore_https_errors=True, storage_state=self.cookies,
            has_touch=is_touch, is_mobile=is_touch, accept_downloads=True, **facts)
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(LIMIT * 1000)
        self.problems = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda said: self.problems.append(said.text)
                if said.type == "error" and "Failed to load resource" not in said.text else None)
        if clock:
            page.clock.install()
        page.goto(self.root)
        page.wait_for_selector("#password")
        return page

    def login(self, size="desktop", clock=False, **facts):
        page = self.open(size, clock, **facts)
        self.enter(page, ".cell" if clock else ".cell img.shown")
        return page

    def enter(self, page, shown=".cell img.shown"):
        """Types the password."""
        page.fill("#password", self.password)
        page.keyboard.press("Enter")
        page.wait_for_selector(shown)

    def open_photo(self, page, number=0):
        page.locator(f".cell.photo >> nth={number}").click()
        page.wait_for_selector(".viewer .slide[data-stage=full]")
        self.still(page)

    def open_facts(self, page):
        """The facts of the first photo."""
        self.open_photo(page)
        page.keyboard.press("i")
        page.wait_for_selector(".facts dl")

    def until(self, page, expression):
        """Waits for an expression in the page; playwright's own way is what the page's policy forbids."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            try:
                if page.evaluate(expression):
                    return
            except Error as error:
                # A page that locks is loaded anew.
                if "context was destroyed" not in str(error):
                    raise
            page.wait_for_timeout(50)
        self.fail(f"never came true: {expression}")

    @staticmethod
    def hide(page, is_hidden):
        """Has the page take itself for hidden, or not."""
        page.evaluate("""(isHidden) => {
            Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
            document.dispatchEvent(new Event('visibilitychange')); }""", is_hidden)

    def still(self, page):
        """Waits until nothing in the page moves, but for what never ends."""
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.until(page, """!document.querySelector('.viewer.animated') && !document.getAnimations().some(each =>
            each.playState === 'running' && each.effect.getComputedTiming().endTime !== Infinity)""")

    def never(self, page, *waits):
        """The page waits for hours where it waits for so many ms: a finger may be slow on a slow machine."""
        page.evaluate("""(waits) => { const wait = window.setTimeout;
            window.setTimeout = (call, time, ...more) => wait(call, waits.includes(time) ? 1e7 : time, ...more); }""", waits)

    def until_here(self, page, condition):
        """Waits for something in this process, while the browser goes on."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if condition():
                return
            page.wait_for_timeout(50)
        self.fail("it never came true")

    def scrub(self, page, part, is_held=False):
        """Drags the handle of the scrubber to a part of its bar."""
        page.mouse.move(150, 400)
        for distance in (60, -60):
            page.mouse.wheel(0, distance)
            page.wait_for_timeout(150)
        bar = page.locator(".scrubber").bounding_box()
        handle = page.locator(".scrubber .thumb").bounding_box()
        page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
        page.mouse.down()
        page.mouse.move(bar["x"] + bar["width"] - 10, bar["y"] + bar["height"] * part, steps=4)
        if not is_held:
            page.mouse.up()

    def tearDown(self):
        self.assertEqual(getattr(self, "problems", []), [], "the page had errors")

    @staticmethod
    def end_session(page):
        """Ends the session, as the server does by itself; the page is not told."""
        page.evaluate("fetch('/lock', { method: 'POST', headers: { 'X-Agonyfs': '1' } }).then(answer => answer.status)")

    @staticmethod
    def say_of_state(page, **facts):
        """Has the server's answers about the state say something else; more can be said later."""
        def answer(route):
            response = route.fetch()
            route.fulfill(response=response, json={**response.json(), **facts})

        page.route("**/api/state*", answer)
        return facts


class StandInTest(PageTest):
    """With the stand-in server, and so many photos."""

    count, password = 3000, "photos"

    @classmethod
    def serve(cls):
        return cls.closing.enter_context(stand_in(cls.count))

    def server(self, **change):
        """Tells the stand-in what is to go wrong."""
        request = urllib.request.Request(self.root + "/test", json.dumps(change).encode(), method="POST")
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        urllib.request.urlopen(request, context=context).close()


class HeldUpload:
    """Where in its file each piece that is sent begins, in MiB; the one at a place is held until the page is loaded anew."""

    def __init__(self, page, place):
        self.page, self.sent, self.held = page, [], []

        def sends(route):
            if route.request.method == "PATCH":
                self.sent.append(int(route.request.headers["upload-offset"]) >> 20)
                if self.sent[-1] == place and self.held is not None:
                    return self.held.append(route)
            return route.continue_()

        page.route("**/api/upload/*", sends)

    def reload(self):
        """Loads the page anew in the middle of it; `sent` begins anew."""
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.reload()
        with contextlib.suppress(Error):
            self.held[0].abort()
        self.held = None
        self.page.wait_for_selector(".cell img.shown")
        del self.sent[:]


class Touch:
    """Fingers, by the browser's own protocol."""

    def __init__(self, page):
        self.page = page
        self.session = page.context.new_cdp_session(page)

    def send(self, kind, *points):
        self.session.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]})

    def tap(self, x, y):
        self.send("touchStart", (x, y))
        self.send("touchEnd")

    def swipe(self, start, end, steps=12, pause=12):
        self.send("touchStart", start)
        for step in range(1, steps + 1):
            part = step / steps
            self.send("touchMove", (start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part))
            self.page.wait_for_timeout(pause)
        self.send("touchEnd")

    def pinch(self, middle, before, after, steps=10):
        def fingers(distance):
            return (middle[0] - distance / 2, middle[1]), (middle[0] + distance / 2, middle[1])
        self.send("touchStart", *fingers(before))
        for step in range(1, steps + 1):
            self.send("touchMove", *fingers(before + (after - before) * step / steps))
            self.page.wait_for_timeout(12)
        self.send("touchEnd")
