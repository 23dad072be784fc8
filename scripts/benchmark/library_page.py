#!/usr/bin/env python3
"""library_page.py ADDRESS PASSWORD: logs in to the page of agonyfs serve and scrolls through all photos.

Prints JSON: the seconds to the first picture and for the whole grid, the milliseconds from each step until the screen
shows only pictures, and the number of photos seen and shown. It is a separate process, so that the browser ends with
it.
"""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Web"))

from support import chromium  # pylint: disable=wrong-import-position

# The most milliseconds of any step, and of waiting for the pictures of a screen.
LIMIT, SCREEN_LIMIT = 300_000, 20_000
# Scrolls on for some seconds; returns true at the end of the grid. Successive screens overlap by a row.
SCROLL = """async ([most, span]) => {
    const found = window.found ??= { seen: new Set(), shown: new Set(), screens: [] };
    const scroller = document.querySelector('.scroller');
    const frame = () => new Promise(requestAnimationFrame);
    const begun = performance.now();
    while (performance.now() - begun < span) {
        const start = found.start ?? begun;
        for (;;) {
            const area = scroller.getBoundingClientRect();
            const cells = [...scroller.querySelectorAll('.cell')].filter(cell => {
                const box = cell.getBoundingClientRect();
                return box.bottom > area.top && box.top < area.bottom; });
            for (const cell of cells) {
                found.seen.add(cell.item);
                if (cell.firstChild.classList.contains('shown')) found.shown.add(cell.item);
            }
            if (cells.length > 0 && cells.every(cell => found.shown.has(cell.item))) break;
            if (performance.now() - start > most) break;
            await frame();
        }
        found.screens.push(performance.now() - start);
        const before = scroller.scrollTop;
        found.start = performance.now();
        const row = scroller.querySelector('.row')?.offsetHeight ?? 0;
        scroller.scrollTop += Math.max(40, scroller.clientHeight - row);
        // Until the grid has drawn what is there now.
        await frame();
        await frame();
        if (scroller.scrollTop === before) return true;
    }
    return false; }"""
FOUND = "({ seen: found.seen.size, shown: found.shown.size, screens: found.screens.map(ms => Math.round(ms)) })"


def main(address, password):
    with chromium() as browser, browser.new_context(
            viewport={"width": 1440, "height": 900}, ignore_https_errors=True) as context:
        page = context.new_page()
        page.set_default_timeout(LIMIT)
        page.goto(address)
        page.wait_for_selector("#password")
        page.fill("#password", password)
        begun = time.monotonic()
        page.keyboard.press("Enter")
        page.wait_for_selector(".cell img.shown")
        login = time.monotonic() - begun
        while int(page.get_attribute(".canvas", "aria-rowcount") or -1) < 0:
            page.wait_for_timeout(20)
        begun = time.monotonic()
        while not page.evaluate(SCROLL, [SCREEN_LIMIT, 5_000]):
            pass
        scroll = time.monotonic() - begun
        print(json.dumps({"login": login, "scroll": scroll, **page.evaluate(FOUND)}))


main(*sys.argv[1:])
