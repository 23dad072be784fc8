"""axe on every view at all three widths, and what people without pictures, mouse or motion have."""

import itertools
import os
import axe_core_python

from support import SIZES, PageTest, sample

with open(os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js"), encoding="utf-8") as file:
    AXE = file.read()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class AccessTests(PageTest):
    def axe(self, page, view):
        self.still(page)
        # Runs beside the page, where the page's policy does not reach.
        session = page.context.new_cdp_session(page)
        session.send("Page.enable")
        frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "axe"})["executionContextId"]
        session.send("Runtime.evaluate", {"expression": AXE, "contextId": world})
        answer = session.send("Runtime.evaluate", {
            "expression": f"axe.run(document, {{ runOnly: {RULES} }}).then(r => JSON.stringify(r.violations.map(v => "
            "[v.id, v.help, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + "
            "(n.any[0]?.message ?? n.all[0]?.message ?? ''))])))",
            "contextId": world, "awaitPromise": True, "returnByValue": True})
        session.detach()
        if answer["result"].get("value") != "[]":
            self.found.append(f"{view}: {answer['result'].get('value', answer)}")

    def test_every_view_at_every_width(self):
        for size, scheme in sample(itertools.product(SIZES, ("light", "dark")), 3, "every view at every width"):
            with self.subTest(size=size, scheme=scheme):
                self.found = []
                self.views(size, scheme)
                self.assertEqual(self.found, [])

    def views(self, size, scheme):
        page = self.open(size, color_scheme=scheme)
        self.axe(page, "login")
        page = self.login(size, color_scheme=scheme)
        self.axe(page, "photos")
        page.click("[aria-label='Group and sort']")
        self.axe(page, "choices")
        page.keyboard.press("Escape")
        page.locator(".cell >> nth=1").click(modifiers=["Control"])
        self.axe(page, "selection")
        page.click("[aria-label=Rate]")
        self.axe(page, "stars")
        page.keyboard.press("Escape")
        page.click("[aria-label='End the selection']")
        page.click(".cell >> nth=0")
        page.wait_for_selector(".slide[data-stage]")
        self.axe(page, "viewer")
        page.keyboard.press("i")
        page.wait_for_selector(".facts dl", state="attached")
        self.axe(page, "facts")
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")
        page.click("[data-part=albums]")
        page.wait_for_selector(".tile")
        self.axe(page, "albums")
        page.click(".tile .picture >> nth=0")
        page.wait_for_selector(".view .cell")
        self.axe(page, "album")
        page.click("[data-part=albums]")
        page.click(".tile .picture >> text=2024")
        page.locator(".others li >> nth=1").scroll_into_view_if_needed()
        self.axe(page, "other files")
        page.click("[data-part=trash]")
        page.wait_for_selector(".view[aria-label=Trash] h1")
        self.axe(page, "trash")

    def test_without_motion_nothing_moves(self):
        page = self.login(reduced_motion="reduce")
        page.click(".cell >> nth=0")
        page.wait_for_selector(".slide[data-stage]")
        page.keyboard.press("ArrowRight")
        self.until(page, "document.querySelector('.viewer .stage').getAttribute('aria-label').includes('2 of')")
        self.assertEqual(page.evaluate("document.getAnimations().length"), 0)

    def test_a_dialog_keeps_the_keyboard_and_gives_it_back(self):
        page = self.login()
        page.focus("[aria-label='Group and sort']")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog")
        for _ in range(25):
            page.keyboard.press("Tab")
            self.assertTrue(page.evaluate("document.activeElement.matches('body, dialog, dialog *')"))
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        self.assertEqual(page.evaluate("document.activeElement.getAttribute('aria-label')"), "Group and sort")
