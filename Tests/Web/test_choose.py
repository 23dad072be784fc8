"""`agonyfs choose`: a dialog in a browser of this machine, and what it prints.

Runs when AGONYFS_TEST_WEB names agonyfs-web.
"""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

import real
from real import LIMIT
from support import PageTest, chromium

# What is asked by another way than the page's buttons, and the status of the answer.
ASK = """async ([method, path, items]) => {
    const api = await import('/assets/api.js');
    const { snapshot } = await api.sections({});
    const answer = await fetch(path, { method, headers: { 'X-Agonyfs': '1', 'Content-Type': 'application/json' },
        body: JSON.stringify({ snapshot, items }) });
    return answer.status; }"""


class Choice:
    """`agonyfs choose`, where the browser is a script that prints the link."""

    def __init__(self, test, *words, place="Albums", **variables):
        folder = test.vault.folder
        self.said = f"{folder}/said"
        others = {name: value for name, value in real.ENVIRONMENT.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        environment = {**others, "AGONYFS_WEB": os.path.abspath(real.WEB), "XDG_RUNTIME_DIR": test.vault.runtime,
                       "BROWSER": test.script, "DISPLAY": ":99", **variables}
        with open(self.said, "wb") as errors:
            self.process = subprocess.Popen(
                [real.program(), "choose", *words, place], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=errors, env={name: value for name, value in environment.items() if value})
        test.addCleanup(self.kill)

    def kill(self):
        self.process.kill()
        self.process.stdout.close()
        self.process.wait()

    def text(self):
        with open(self.said, encoding="utf-8") as file:
            return file.read()

    def link(self):
        end = time.monotonic() + LIMIT
        while not (found := re.search(r"http://127\.0\.0\.1:\d+/\w+#\w+$", self.text(), re.M)):
            assert self.process.poll() is None and time.monotonic() < end, self.text()
            time.sleep(0.05)
        return found.group()

    def end(self):
        """The status, and what was printed."""
        printed, _ = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, printed


@unittest.skipUnless(real.WEB, "AGONYFS_TEST_WEB names no agonyfs-web")
class ChooseTests(unittest.TestCase):
    until = PageTest.until

    @classmethod
    def setUpClass(cls):
        closing = contextlib.ExitStack()
        cls.addClassCleanup(closing.close)
        folder = closing.enter_context(tempfile.TemporaryDirectory(prefix="agonyfs-test-web-"))
        cls.vault = real.page_vault(folder)
        cls.mount = closing.enter_context(cls.vault.mounted(real.ONE))
        cls.script = f"{folder}/browser"
        with open(cls.script, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\necho "$1"\n')
        os.chmod(cls.script, 0o700)
        cls.browser = closing.enter_context(chromium())

    def open(self, *words, place="Albums", width=1440):
        choice = Choice(self, *words, place=place)
        context = self.browser.new_context(viewport={"width": width, "height": 900})
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(LIMIT * 1000)
        page.goto(choice.link())
        page.wait_for_selector(".cell img.shown")
        return choice, page

    def chosen(self, page):
        return page.inner_text(".choice-bar .count")

    def press(self, page, name):
        page.click(f".choice-bar .button >> text={name}")

    def test_done_prints_the_paths_of_what_was_selected(self):
        for width in (360, 1440):
            with self.subTest(width):
                choice, page = self.open("--max", "2", width=width)
                self.assertEqual(page.inner_text(".choice-bar p"), "Choose up to 2 photos and videos")
                self.assertEqual(self.chosen(page), "0 of 2")
                self.assertTrue(page.locator(".choice-bar .button.main").is_disabled())
                self.until(page, "document.querySelector('.cell').ariaLabel.startsWith('IMG_')")
                names = set()
                for number in range(2):
                    page.click(f".cell >> nth={number}")
                    names.add(page.get_attribute(f".cell >> nth={number}", "aria-label").split(",")[0])
                self.assertEqual(self.chosen(page), "2 of 2")
                page.click(".cell >> nth=2")
                page.wait_for_selector("#said >> text=At most 2 can be chosen.")
                self.assertEqual(self.chosen(page), "2 of 2")
                self.press(page, "Done")
                page.wait_for_selector("text=Your choice was sent.")
                status, printed = choice.end()
                self.assertEqual(status, 0, choice.text())
                paths = printed.decode().splitlines()
                self.assertEqual(len(paths), 2)
                self.assertEqual({os.path.basename(path) for path in paths}, names)
                for path in paths:
                    self.assertTrue(path.startswith("Albums/"), path)
                    self.assertTrue(os.path.isfile(f"{self.vault.folder}/{path}"), path)
                self.assertEqual(os.listdir(self.vault.runtime), [])

    def test_only_what_is_allowed_is_chosen(self):
        choice, page = self.open("-0", "--type", "video", place=self.mount)
        cell = page.locator(".cell >> nth=0")
        self.assertEqual(cell.get_attribute("aria-disabled"), "true")
        self.assertIsNone(cell.get_attribute("aria-selected"))
        self.assertTrue(cell.get_attribute("aria-label").endswith(", cannot be chosen"))
        cell.click(force=True)
        page.wait_for_selector("#said >> text=This file cannot be chosen.")
        self.assertEqual(self.chosen(page), "0 selected")
        # The server knows it as well, and changes nothing.
        self.assertEqual(page.evaluate(ASK, ["POST", "/api/choice", [0]]), 400)
        self.assertEqual(page.evaluate(ASK, ["POST", "/api/choice", []]), 400)
        self.assertEqual(page.evaluate(ASK, ["POST", "/api/trash", [0]]), 403)
        page.focus(".cell[tabindex='0']")
        page.keyboard.press("Control+a")
        self.assertEqual(self.chosen(page), "1 selected")
        self.press(page, "Done")
        self.assertEqual(choice.end(), (0, f"{self.mount}/2025/video.mp4\0".encode()), choice.text())

    def test_durations(self):
        for words, count in ((["--min-duration", "5s"], 1), (["--min-duration", "13s"], 0), (["--max-duration", "11"], 0),
                             (["--min-duration", "5", "--max-duration", "1m"], 1)):
            with self.subTest(words):
                choice, page = self.open(*words)
                page.focus(".cell[tabindex='0']")
                page.keyboard.press("Control+a")
                self.assertEqual(self.chosen(page), f"{count} selected")
                self.press(page, "Cancel")
                page.wait_for_selector("text=Nothing was chosen.")
                self.assertEqual(choice.end(), (1, b""))

    def test_one_takes_the_place_of_another(self):
        choice, page = self.open("--max", "1", "--type", "photo")
        self.assertEqual(page.inner_text(".choice-bar p"), "Choose one photo")
        for number in (0, 1):
            page.click(f".cell >> nth={number}")
            self.assertEqual(self.chosen(page), "1 of 1")
        self.assertEqual(page.get_attribute(".cell >> nth=0", "aria-selected"), "false")
        # Two presses show it.
        page.dblclick(".cell >> nth=2")
        page.wait_for_selector(".viewer .slide[data-stage=full]")
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")
        choice.process.send_signal(signal.SIGINT)
        self.assertEqual(choice.end(), (1, b""))

    def test_what_was_chosen_stays_so_in_other_lists(self):
        choice, page = self.open("--max", "3", width=360)
        self.until(page, "document.querySelector('.cell').ariaLabel.startsWith('IMG_')")
        labels = [page.get_attribute(f".cell >> nth={number}", "aria-label") for number in range(2)]
        for number in range(2):
            page.click(f".cell >> nth={number}")
        # A list without them, where one more may be chosen.
        page.fill(".search input", "type:video")
        page.keyboard.press("Enter")
        page.wait_for_selector(".cell.video")
        self.until(page, "document.querySelectorAll('.cell').length === 1")
        self.assertEqual(self.chosen(page), "2 of 3")
        page.click(".cell.video")
        self.assertEqual(self.chosen(page), "3 of 3")
        # In the first list they are selected, and can be given back.
        page.click("[data-part=albums]")
        page.wait_for_selector(".tile")
        self.assertEqual(self.chosen(page), "3 of 3")
        page.click("[data-part=photos]")
        self.until(page, "document.querySelectorAll('.cell.chosen').length >= 2")
        self.assertEqual(self.chosen(page), "3 of 3")
        for label in labels:
            self.assertEqual(page.locator(f'.cell[aria-label="{label}"]').get_attribute("aria-selected"), "true")
        page.locator(f'.cell[aria-label="{labels[0]}"]').click()
        self.assertEqual(self.chosen(page), "2 of 3")
        self.press(page, "Done")
        status, printed = choice.end()
        self.assertEqual(status, 0, choice.text())
        self.assertEqual({os.path.basename(path) for path in printed.decode().splitlines()},
                         {labels[1].split(",")[0], "video.mp4"})

    def test_of_one_that_of_another_list_takes_the_place(self):
        choice, page = self.open("--max", "1")
        page.click(".cell >> nth=0")
        page.fill(".search input", "type:video")
        page.keyboard.press("Enter")
        self.until(page, "document.querySelectorAll('.cell').length === 1")
        self.assertEqual(self.chosen(page), "1 of 1")
        page.click(".cell.video")
        self.assertEqual(self.chosen(page), "1 of 1")
        self.press(page, "Done")
        self.assertEqual(choice.end(), (0, b"Albums/2025/video.mp4\n"), choice.text())

    def test_a_photo_that_is_in_two_groups_is_printed_once(self):
        choice, page = self.open("-0")
        count = page.evaluate("""async () => {
            const api = await import('/assets/api.js');
            const { snapshot, count } = await api.sections({ group: 'tag' });
            const { items } = await api.chooseIn(snapshot, undefined, []);
            await api.choose(snapshot, [...items, ...Array(count).keys()]);
            return count; }""")
        status, printed = choice.end()
        self.assertEqual(status, 0, choice.text())
        paths = printed.split(b"\0")[:-1]
        self.assertEqual(len(paths), len(set(paths)))
        self.assertGreater(len(paths), 50)
        self.assertGreaterEqual(count, len(paths))

    def test_the_choice_ends_with_its_page(self):
        choice, page = self.open()
        page.click(".cell >> nth=0")
        page.reload()
        page.wait_for_selector(".cell img.shown")
        self.assertEqual(self.chosen(page), "0 selected")
        self.assertIsNone(choice.process.poll())
        page.close(run_before_unload=True)
        self.assertEqual(choice.end(), (1, b""))

    def test_the_link_is_for_one_browser_and_the_end_of_its_session_is_that_of_the_choice(self):
        choice, page = self.open()
        with self.browser.new_context() as other:
            self.assertEqual(other.request.get(choice.link()).status, 404)
        page.reload()
        page.wait_for_selector(".cell img.shown")
        PageTest.end_session(page)
        self.assertEqual(choice.end(), (1, b""))

    def test_a_browser_that_does_not_start_is_said(self):
        choice = Choice(self, BROWSER="false")
        self.assertIn("/", choice.link())
        self.assertIn("No browser was started; open this address", choice.text())
        choice.process.send_signal(signal.SIGTERM)
        self.assertEqual(choice.end(), (1, b""))

    def test_what_cannot_be_is_said(self):
        for words, place, variables, status, said in (
                ([], "Albums", {"DISPLAY": ""}, 2, "graphical session"), ([], "Vault", {}, 14, "mount the space first"),
                ([], "Albums/2025", {}, 14, "name the directory of its mount"), (["--max", "0"], "Albums", {}, 2, "a number from 1"),
                (["--type", "music"], "Albums", {}, 2, "photo or video"),
                (["--type", "photo", "--min-duration", "5s"], "Albums", {}, 2, "Only videos have a duration"),
                (["--min-duration", "6s", "--max-duration", "5s"], "Albums", {}, 2, "give a shorter one")):
            with self.subTest(words=words, place=place):
                choice = Choice(self, *words, place=place, **variables)
                self.assertEqual(choice.end(), (status, b""))
                self.assertIn(said, choice.text())
                self.assertEqual(choice.text().count("\n"), 1)
