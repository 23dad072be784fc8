#!/usr/bin/env python3
"""measure.py [COUNT...]: what the page takes with that many photos: time to thumbnails, tasks while flinging, jumps, heap.

Prints a line for each figure. Figures of a busy machine say little; nothing fails by them.
"""

import json
import os
import sys

from support import StandInTest, Touch

TASKS = """() => { window.tasks = []; new PerformanceObserver((list) =>
    window.tasks.push(...list.getEntries().map(e => Math.round(e.duration)))).observe({ type: 'longtask' }); }"""
SHOWN = """() => { const cells = [...document.querySelectorAll('.cell')].filter(c => { const b = c.getBoundingClientRect();
    return b.bottom > 70 && b.top < innerHeight - 60; });
    return cells.length >= Math.min(4, document.querySelectorAll('.cell').length) && cells.length > 0 && cells.every(c => c.firstChild.classList.contains('shown')); }"""
LONGEST = "tasks.sort((a, b) => b - a).slice(0, 3)"


class Measure(StandInTest):
    """Of the stand-in server, or of one whose address is AGONYFS_WEB; AGONYFS_WEB_PASSWORD opens a space of it."""

    password = os.environ.get("AGONYFS_WEB_PASSWORD", StandInTest.password)

    @classmethod
    def serve(cls):
        return os.environ.get("AGONYFS_WEB") or super().serve()

    def runTest(self):
        for size in ("phone", "desktop"):
            self.measure(size)

    def say(self, size, name, value):
        print(f"{self.count:9,} photos  {size:8} {name:44} {value}", flush=True)

    def heap(self, page):
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.collectGarbage")
        used = session.send("Runtime.getHeapUsage")
        session.detach()
        whole = used["usedSize"] + used.get("backingStorageSize", 0) + used.get("embedderHeapUsedSize", 0)
        return f"{used['usedSize'] / 1e6:.1f} MB of script, {whole / 1e6:.1f} MB with buffers and document"

    def until_shown(self, page):
        """Milliseconds until everything on the screen is a picture."""
        return page.evaluate(f"""async () => {{ const start = performance.now(); const shown = {SHOWN};
            while (!shown() && performance.now() - start < 20000) await new Promise(requestAnimationFrame);
            return Math.round(performance.now() - start); }}""")

    def fling(self, page, size, direction=1):
        if size == "phone":
            touch = Touch(page)
            for _ in range(10):
                touch.swipe(*((180, 600), (180, 100))[::direction], steps=6, pause=8)
                page.wait_for_timeout(250)
        else:
            page.mouse.move(700, 500)
            for _ in range(150):
                page.mouse.wheel(0, 900 * direction)
                page.wait_for_timeout(16)
        page.wait_for_timeout(800)

    def work(self, page, act):
        """Milliseconds of processor time of the longest tasks; other programs do not make them longer."""
        self.browser.start_tracing(page=page, categories=["toplevel"])
        act()
        events = json.loads(self.browser.stop_tracing())["traceEvents"]
        mains = {(each["pid"], each["tid"]) for each in events
                 if each["name"] == "thread_name" and each["args"]["name"] == "CrRendererMain"}
        tasks = [each.get("tdur", 0) / 1000 for each in events
                 if (each["pid"], each["tid"]) in mains and each["name"].endswith("RunTask")]
        return [round(time) for time in sorted(tasks, reverse=True)[:3]]

    def measure(self, size):
        page = self.open(size)
        page.evaluate(TASKS)
        page.fill("#password", self.password)
        page.evaluate("""() => { window.begun = 0; const ask = fetch; window.fetch = (path, ...more) => {
            const answer = ask(path, ...more);
            if (path === '/login') answer.then(() => { window.begun = performance.now(); });
            return answer; }; }""")
        page.keyboard.press("Enter")
        self.until(page, "window.begun > 0")
        self.until_shown(page)
        taken = page.evaluate("Math.round(performance.now() - window.begun)")
        self.say(size, "login to the first screen of thumbnails", f"{taken} ms")
        page.wait_for_timeout(1500)
        self.say(size, "longest tasks at the beginning", page.evaluate(LONGEST) or "none of 50 ms")
        page.evaluate("tasks.length = 0")
        self.fling(page, size)
        self.say(size, "longest tasks while flinging", page.evaluate(LONGEST) or "none of 50 ms")
        work = self.work(page, lambda: self.fling(page, size, -1))
        self.say(size, "the way back, ms of processor time", work)
        times = []
        page.evaluate("tasks.length = 0")
        for part in (0.3, 0.7, 0.45, 0.9, 0.1):
            self.scrub(page, part, is_held=True)
            times.append(self.until_shown(page))
            page.mouse.up()
            page.wait_for_timeout(400)
        self.say(size, "jumps with the scrubber to pictures", f"{times} ms")
        self.say(size, "longest tasks of the jumps", page.evaluate(LONGEST) or "none of 50 ms")
        self.say(size, "elements of the grid", page.evaluate("document.querySelectorAll('.canvas *').length"))
        self.say(size, "heap", self.heap(page))
        page.context.close()


if __name__ == "__main__":
    for number in [int(each) for each in sys.argv[1:]] or [100_000]:
        Measure.count = number
        Measure.setUpClass()
        try:
            Measure().runTest()
        finally:
            Measure.doClassCleanups()
