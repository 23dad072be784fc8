"""The viewer: gestures by the browser's own touch events, keys, what is in memory."""

from support import PageTest, StandInTest, Touch

STATE = """() => { const slide = [...document.querySelectorAll('.slide')].find(s => !s.inert);
    const box = slide.querySelector('.picture').getBoundingClientRect();
    return { scale: box.width / slide.querySelector('.picture').offsetWidth, left: box.left, right: box.right, top: box.top,
      width: box.width, bare: document.querySelector('.viewer').classList.contains('bare') }; }"""

TAB = ".viewer [role=tab]"
SELECTED = TAB + "[aria-selected=true]"
# Whether the selected tab is wholly within what is seen of the tabs, and these within the screen.
IS_SEEN = """(() => { const tabs = document.querySelector('.viewer [role=tablist]').getBoundingClientRect();
    const tab = document.querySelector('.viewer [role=tab][aria-selected=true]').getBoundingClientRect();
    return tabs.left >= 0 && tabs.right <= innerWidth && tab.left >= tabs.left - 1 && tab.right <= tabs.right + 1; })()"""


class Tabs:
    def place(self, page):
        return page.get_attribute(".viewer .stage", "aria-label")

    def groups(self, page, **question):
        """The groups of the grid, as the titles of their tabs, and the first photo of each."""
        return page.evaluate("""async (question) => {
            const { Snapshot } = await import('/assets/snapshot.js');
            const format = await import('/assets/format.js');
            const { groups } = await Snapshot.open({ q: '', sort: 'time', ...question });
            return groups.map(({ title, first, count }) => [`${format.section(title, question.group)} (${count})`, first]);
        }""", {"group": "month", **question})

    def selected(self, page):
        """The tabs that are selected."""
        return page.locator(SELECTED).all_text_contents()

    def until_shown(self, page, group, item):
        """Waits until a photo is shown, with the tab of its group."""
        self.until(page, f"document.querySelector('.viewer .stage').getAttribute('aria-label')?.includes(' {item + 1:,} of ')")
        self.assertEqual(self.selected(page), [group])


class TabTests(Tabs, PageTest):
    def test_tabs_are_the_groups_of_the_grid_with_their_counts(self):
        page = self.login()
        for name, group in (("Tag", "tag"), ("Place", "place"), ("Album", "album"), ("File type", "type"), ("Month", "month")):
            page.click("[aria-label='Group and sort']")
            page.click(f"dialog .choice >> text='{name}'")
            groups = [title for title, _ in self.groups(page, group=group)]
            header = page.locator(".header bdi >> nth=0")
            self.until_here(page, lambda: header.text_content() == groups[0].rsplit(" (", 1)[0])
            self.open_photo(page)
            self.assertEqual(page.locator(TAB).all_text_contents(), groups[:25])
            self.assertEqual(page.get_attribute(SELECTED, "aria-setsize"), str(len(groups)))
            self.assertEqual(self.selected(page), groups[:1])
            page.keyboard.press("Escape")
            page.wait_for_selector(".viewer", state="detached")

    def test_one_group_has_no_tabs(self):
        page = self.login()
        page.fill(".search input", "type:video")
        page.keyboard.press("Enter")
        page.locator(".cell.video >> nth=0").click()
        page.wait_for_selector(".viewer .play")
        self.assertEqual(page.locator(".viewer [role=tablist]").count(), 0)

    def test_past_the_end_of_a_group_is_the_next_tab(self):
        page = self.login("phone")
        (first, _), (second, begin) = self.groups(page)[:2]
        self.open_photo(page, begin - 1)
        self.never(page, 500)
        touch = Touch(page)
        self.assertEqual(self.selected(page), [first])
        touch.swipe((300, 370), (60, 370))
        self.until_shown(page, second, begin)
        self.still(page)
        touch.swipe((60, 370), (300, 370))
        self.until_shown(page, first, begin - 1)
        self.still(page)
        page.keyboard.press("ArrowRight")
        self.until_shown(page, second, begin)

    def test_a_tap_on_a_tab_goes_to_the_first_photo_of_its_group(self):
        page = self.login("phone")
        groups = self.groups(page)
        self.open_photo(page)
        for group, first in (groups[1], groups[2], groups[1], groups[0]):
            page.locator(TAB).get_by_text(group.rsplit(" (", 1)[0], exact=True).tap()
            self.until_shown(page, group, first)
            self.assertEqual(page.evaluate(IS_SEEN), True)
        # The keys are those of photos again, and the bars stay.
        page.keyboard.press("ArrowRight")
        self.until_shown(page, groups[0][0], 1)
        self.assertEqual(page.locator(".viewer.bare").count(), 0)
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")
        self.until(page, "document.activeElement.item === 1")

    def test_tabs_scroll_on_a_phone_and_the_selected_one_is_seen(self):
        page = self.login("phone")
        groups = self.groups(page)
        self.open_photo(page)
        tabs = page.locator(".viewer [role=tablist]")
        self.assertTrue(tabs.evaluate("tabs => tabs.scrollWidth > 2 * tabs.clientWidth && tabs.scrollLeft === 0"))
        self.assertTrue(page.evaluate(IS_SEEN))
        page.keyboard.press("End")
        self.until(page, "document.querySelector('.viewer [role=tablist]').scrollLeft > 0")
        self.assertEqual(self.selected(page), [groups[-1][0]])
        self.assertTrue(page.evaluate(IS_SEEN))
        # Also when the screen is turned.
        page.set_viewport_size({"width": 740, "height": 360})
        page.keyboard.press("Home")
        self.until_shown(page, groups[0][0], 0)
        page.locator(TAB + " >> nth=5").evaluate("tab => tab.click()")
        self.until_shown(page, *groups[5])
        page.set_viewport_size({"width": 360, "height": 740})
        self.until(page, f"innerWidth === 360 && {IS_SEEN}")

    def test_tabs_by_keyboard(self):
        page = self.login()
        groups = self.groups(page)
        self.open_photo(page)
        self.assertEqual(page.locator(TAB + "[tabindex='0']").count(), 1)
        page.focus(TAB + "[tabindex='0']")
        for key, (group, first) in (("ArrowRight", groups[1]), ("ArrowRight", groups[2]), ("ArrowLeft", groups[1]),
                                    ("End", groups[-1]), ("ArrowRight", groups[-1]), ("Home", groups[0])):
            page.keyboard.press(key)
            self.until_shown(page, group, first)
            self.assertTrue(page.evaluate(f"document.activeElement.matches({SELECTED!r})"), key)
            self.assertEqual(page.locator(TAB + "[tabindex='0']").count(), 1)
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")


class ManyTabsTests(Tabs, StandInTest):
    count = 100_000

    def test_of_thousands_of_groups_few_tabs_are_in_the_document(self):
        page = self.login()
        page.click("[aria-label='Group and sort']")
        page.click("dialog .choice >> text='Day'")
        groups = self.groups(page, group="day")
        self.assertGreater(len(groups), 1000)
        header = page.locator(".header bdi >> nth=0")
        self.until_here(page, lambda: header.text_content() == groups[0][0].rsplit(" (", 1)[0])
        page.locator(".cell.photo >> nth=0").click()
        page.wait_for_selector(".viewer .slide[data-stage]")
        page.focus(SELECTED)
        for key, number in (("End", -1), ("ArrowLeft", -2), ("Home", 0), *[("ArrowRight", each) for each in range(1, 30)]):
            page.keyboard.press(key)
            group, first = groups[number]
            self.until(page, f"document.querySelector({SELECTED!r}).textContent === {group!r}")
            self.assertLessEqual(page.locator(TAB).count(), 49)
            self.assertTrue(page.evaluate(f"{IS_SEEN} && document.activeElement.matches({SELECTED!r})"))
        self.until_shown(page, group, first)
        titles = page.locator(TAB).all_text_contents()
        self.assertEqual(titles, [title for title, _ in groups[29 - 24:29 + 25]])
        self.assertEqual(page.get_attribute(SELECTED, "aria-posinset"), "30")


class ViewerTests(Tabs, PageTest):
    def state(self, page):
        self.still(page)
        return page.evaluate(STATE)

    def until_state(self, page, condition):
        """Waits until what is shown is so, also when it has come to rest."""
        self.until_here(page, lambda: condition(page.evaluate(STATE)) and condition(self.state(page)))

    def touched(self, *waits):
        """A phone that shows a photo, and its fingers; the waits of so many ms do not end."""
        page = self.login("phone")
        self.open_photo(page)
        self.never(page, *waits)
        return page, Touch(page)

    def test_opens_at_fit_and_loads_in_steps(self):
        page = self.login("phone")
        forms = []
        page.on("request", lambda request: forms.append(request.url.rsplit("/", 2)[-2:])
                if "/api/item/" in request.url else None)
        self.open_photo(page)
        state = self.state(page)
        self.assertAlmostEqual(state["scale"], 1, places=2)
        self.assertGreaterEqual(state["left"], -1)
        self.assertLessEqual(state["right"], 361)
        shown = [form for item, form in forms if item == forms[0][0]]
        self.assertLess(shown.index("preview"), shown.index("full"))

    def test_pinch_pan_and_double_tap(self):
        # Nothing is a long press or a single tap.
        page, touch = self.touched(200, 500)
        touch.pinch((180, 370), 80, 240)
        self.until_state(page, lambda state: state["scale"] > 2.2)
        pinched = self.state(page)
        touch.swipe((180, 370), (240, 370))
        self.until_state(page, lambda state: state["left"] > pinched["left"])
        touch.pinch((180, 370), 300, 40)
        self.until_state(page, lambda state: abs(state["scale"] - 1) < 0.005)
        for expected in (lambda state: state["scale"] > 1.2, lambda state: abs(state["scale"] - 1) < 0.02):
            touch.tap(180, 370)
            page.wait_for_timeout(60)
            touch.tap(182, 371)
            self.until_state(page, expected)
        self.assertFalse(self.state(page)["bare"])

    def test_a_single_tap_hides_the_bars_a_little_later(self):
        page, touch = self.touched(500)
        touch.tap(180, 370)
        self.until_state(page, lambda state: state["bare"])
        touch.tap(180, 370)
        self.until_state(page, lambda state: not state["bare"])

    def test_a_swipe_pages_and_a_short_one_does_not(self):
        page, touch = self.touched(500)
        first = self.place(page)
        touch.swipe((200, 370), (170, 370), pause=30)
        # The time in which it would have paged.
        page.wait_for_timeout(400)
        self.still(page)
        self.assertEqual(self.place(page), first)
        touch.swipe((300, 370), (60, 370))
        self.until_here(page, lambda: self.place(page) != first)
        self.still(page)
        gap = page.evaluate("""() => { const slides = [...document.querySelectorAll('.slide')]
            .map(s => s.getBoundingClientRect()).sort((a, b) => a.left - b.left);
            return slides[1].left - slides[0].right; }""")
        self.assertAlmostEqual(gap, 24, delta=1)
        touch.swipe((60, 370), (300, 370))
        self.until_here(page, lambda: self.place(page) == first)

    def test_a_pan_goes_to_the_edge_and_then_pages(self):
        page, touch = self.touched(500)
        first = self.place(page)
        touch.pinch((180, 370), 80, 200)
        touch.swipe((300, 370), (240, 370), pause=40)
        page.wait_for_timeout(400)
        self.assertEqual(self.place(page), first)
        self.assertGreater(self.state(page)["scale"], 1.5)
        for _ in range(6):
            touch.swipe((320, 370), (30, 370))
            page.wait_for_timeout(450)
            self.still(page)
            if self.place(page) != first:
                break
        self.assertNotEqual(self.place(page), first)
        self.until_state(page, lambda state: abs(state["scale"] - 1) < 0.005)

    def test_a_pull_down_closes(self):
        page, touch = self.touched(500)
        touch.swipe((180, 300), (185, 560))
        page.wait_for_selector(".viewer", state="detached")
        self.assertFalse(page.evaluate("document.getElementById('app').inert"))

    def test_each_press_counts_and_only_neighbours_are_in_memory(self):
        page = self.login()
        self.open_photo(page)
        # Each begins before the movement of the one before it has ended.
        for _ in range(8):
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(60)
        self.until(page, "document.querySelector('.viewer .stage').getAttribute('aria-label').includes('9 of')")
        page.wait_for_selector(".slide:not([inert])[data-stage]")
        self.until(page, "document.querySelectorAll('.slide').length === 3")
        self.until(page, "document.querySelectorAll('.slide img').length <= 3")

    def test_originals_that_were_left_load_no_more(self):
        page = self.login()
        held, failed = [], []
        page.route("**/full", lambda route: held.append(route))
        page.on("requestfailed", lambda request: failed.append(request.url))
        page.locator(".cell.photo >> nth=0").click()
        self.until_here(page, lambda: held)
        left = held[0].request.url
        page.keyboard.press("End")
        self.until_here(page, lambda: left in failed)
        page.unroute("**/full")
        page.wait_for_selector(".viewer .slide:not([inert])[data-stage=full]")

    def test_keys_and_where_the_keyboard_goes(self):
        page = self.login()
        page.focus(".cell >> nth=0")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.wait_for_selector(".viewer .slide[data-stage]")
        page.keyboard.press("z")
        self.until_state(page, lambda state: state["scale"] > 1.01)
        page.keyboard.press("z")
        self.until_state(page, lambda state: abs(state["scale"] - 1) < 0.005)
        page.keyboard.press("+")
        self.until_state(page, lambda state: state["scale"] > 1.3)
        page.keyboard.press("-")
        seen = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            seen.add(page.evaluate("document.activeElement.matches('body, .viewer *')"))
        self.assertEqual(seen, {True})
        page.keyboard.press("ArrowRight")
        self.until(page, "document.querySelector('.viewer .stage').getAttribute('aria-label').includes('3 of')")
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")
        self.until(page, "document.activeElement.item === 2")

    def test_keys_work_where_nothing_has_the_keyboard(self):
        page = self.login()
        self.open_facts(page)
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("ArrowRight")
        self.until(page, "document.querySelector('.viewer .stage').getAttribute('aria-label').includes('2 of')")
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")

    def test_escape_twice_closes_two_things_and_never_leaves_the_page(self):
        page = self.login()
        self.open_photo(page)
        for _ in range(3):
            page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")
        # What is opened while the history is still on its way stays open, and its way back is there.
        page.locator(".cell.photo >> nth=0").click()
        page.wait_for_selector(".viewer .slide[data-stage]")
        page.evaluate("""async () => {
            const { back, opened } = await import('/assets/navigation.js');
            back(); back(); back();
            opened(() => document.body.classList.add('one-is-closed'));
            opened(() => document.body.classList.add('two-is-closed'));
        }""")
        self.until(page, "history.state.depth === 2")
        page.wait_for_selector(".viewer", state="detached")
        self.assertEqual(page.get_attribute("body", "class") or "", "")
        page.go_back()
        self.until(page, "document.body.className === 'two-is-closed'")
        page.go_back()
        self.until(page, "document.body.className === 'two-is-closed one-is-closed'")
        # Forward leads nowhere: what was closed is not opened again, and the way back does not lead out of the page.
        page.go_forward()
        self.until(page, "history.state.depth === 0")
        self.assertGreater(page.locator(".cell").count(), 0)

    def test_the_way_back_closes_and_the_history_says_nothing(self):
        page = self.login("phone")
        self.open_photo(page)
        self.assertEqual(page.evaluate("JSON.stringify(history.state)"), '{"depth":1}')
        self.assertEqual(page.url.rstrip("/"), self.root)
        page.go_back()
        page.wait_for_selector(".viewer", state="detached")

    def test_a_photo_that_goes_after_the_viewer_was_closed_takes_nothing_else_with_it(self):
        page = self.login()
        page.click(".rail [data-part=albums]")
        page.click(".tile .picture >> text=Scans")
        page.wait_for_selector("h1 >> text=Scans")
        held = []
        page.route("**/api/trash", lambda route: held.append(route))
        self.open_photo(page)
        page.keyboard.press("Delete")
        page.click("dialog .danger")
        self.until_here(page, lambda: held)
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")
        with page.expect_request("**/api/sections*"):
            held.pop().fulfill(json={"done": 1, "failed": []})
        self.assertTrue(page.is_visible("h1 >> text=Scans"))
        # A view that was left asks for nothing any more.
        self.open_photo(page)
        page.keyboard.press("Delete")
        page.click("dialog .danger")
        self.until_here(page, lambda: held)
        page.keyboard.press("Escape")
        page.click(".rail [data-part=albums]")
        page.wait_for_selector("h1 >> text=Albums")
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        held[0].fulfill(json={"done": 1, "failed": []})
        page.wait_for_selector("#said >> text=moved to the trash >> nth=1")
        page.evaluate("fetch('/api/state')")
        self.assertEqual([url for url in asked if "/api/sections" in url], [])

    def test_a_video_plays_and_seeks(self):
        page = self.login()
        page.fill(".search input", "type:video")
        page.keyboard.press("Enter")
        page.locator(".cell.video >> nth=0").click()
        page.click(".viewer .play")
        self.until(page, "document.querySelector('.viewer video')?.currentTime > 0.1")
        page.evaluate("document.querySelector('.viewer video').currentTime = 4")
        self.until(page, "document.querySelector('.viewer video').currentTime > 4.1")
        page.keyboard.press("Escape")
        page.wait_for_selector(".viewer", state="detached")

    def test_a_motion_photo_plays_once(self):
        page = self.login()
        page.fill(".search input", 'name:="motion.jpg"')
        page.keyboard.press("Enter")
        page.locator(".cell.motion >> nth=0").click()
        page.click(".viewer .button.live")
        self.until(page, "document.querySelector('.viewer video')?.currentTime > 0.1")
