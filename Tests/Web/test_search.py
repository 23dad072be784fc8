"""Searches by the page, on the true server: what addresses, forms and the language of queries have uses of their own for."""

import contextlib

from page_photos import ODD
from support import PageTest


def quoted(text):
    """As the language of queries has it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class SearchTests(PageTest):
    @contextlib.contextmanager
    def shows(self, page):
        """Within it something is searched for. Returns when all of it is shown, and adds the titles or names to the list."""
        page.evaluate("document.querySelector('h1').classList.add('before')")
        shown = []
        yield shown
        page.wait_for_selector("h1:not(.before)")
        self.assertEqual(page.locator(".mistake").count(), 0, page.input_value(".search input"))
        # Cells come a little later, and then their names.
        self.until(page, """(window.labels = [...document.querySelectorAll('.cell')]
            .map(cell => cell.getAttribute('aria-label').split(', Photo, '))).every(label => label.length === 2)
            && labels.length === (parseInt(document.querySelector('h1').textContent) || 0)""")
        shown += [label[0] for label in page.evaluate("window.labels")]

    def found(self, page, query):
        with self.shows(page) as shown:
            page.fill(".search input", query)
            page.keyboard.press("Enter")
        return shown

    def test_a_word_and_a_field(self):
        page = self.login()
        self.assertEqual(self.found(page, "salt date:2021"), ["Salt & Pepper"])
        self.assertEqual(self.found(page, "salt date:2022"), [])
        self.assertEqual(self.found(page, "  wool   album:Odd  "), ["100% wool"])

    def test_texts_with_marks_are_found_by_words_and_in_every_field(self):
        page = self.login()
        for text in ODD:
            for query in (quoted(text), f"title:={quoted(text)}", f"tag:={quoted(text)}", f"name:={quoted(text + '.jpg')}",
                          f"album:={quoted('Odd/' + text)}"):
                with self.subTest(query):
                    self.assertEqual(self.found(page, query), [text])
            # Nothing is cut off or taken for something else.
            with self.subTest(f"more than {text}"):
                self.assertEqual(self.found(page, f"title:={quoted(text + '+')}"), [])

    def test_a_mistake_is_shown_where_it_is(self):
        page = self.login()
        query = 'größe & more "c++ 100%'
        page.fill(".search input", query)
        page.keyboard.press("Enter")
        page.wait_for_selector(".mistake mark")
        self.assertEqual(page.inner_text(".mistake code").strip(), query)
        self.assertIn("letter", page.inner_text(".mistake p"))
        self.assertEqual(page.inner_text(".mistake mark"), "&")

    def test_suggestions_go_on_with_what_is_quoted(self):
        page = self.login()
        for text in ODD:
            for kind, query in (("tag", f"tag:={quoted(text)}"), ("album", f"album:={quoted('Odd/' + text)}")):
                with self.subTest(query):
                    page.fill(".search input", "date:2021 " + quoted(text[:-1])[:-1])
                    page.wait_for_selector(".suggestions li")
                    self.until(page, f"""document.querySelector('.suggestions').found.some(({{ kind, text }}) =>
                        kind === '{kind}' && text.endsWith({text!r}))""")
                    kinds = page.evaluate("document.querySelector('.suggestions').found.map(one => one.kind)")
                    with self.shows(page) as shown:
                        for _ in range(kinds.index(kind) + 1):
                            page.keyboard.press("ArrowDown")
                        page.keyboard.press("Enter")
                    self.assertEqual(page.input_value(".search input"), f"date:2021 {query} ")
                    self.assertEqual(shown, [text])

    def test_an_album_of_any_name_is_searched(self):
        page = self.login()
        page.click("[data-part=albums]")
        page.click(".tile .picture >> text=Odd")
        page.wait_for_selector("h1 >> text=Odd")
        for text in ODD:
            with self.subTest(text):
                page.locator(".tile", has_text=text).locator(".picture").click()
                page.wait_for_selector(".view .cell img.shown")
                self.assertEqual(page.inner_text("h1"), text)
                page.go_back()
                page.wait_for_selector("h1 >> text=Odd")

    def test_what_cannot_be_read_is_refused(self):
        page = self.login()
        for written in ("%", "%4", "%GG", "%FF", "%C3", "a%ED%A0%80"):
            for address in (f"/api/sections?q={written}", f"/api/suggest?q={written}", f"/api/albums?path={written}",
                            f"/api/state?busy={written}", f"/api/sections?{written}=1"):
                with self.subTest(address):
                    answer = page.evaluate("""address => fetch(address).then(async answer =>
                        [answer.status, (await answer.json()).error])""", address)
                    self.assertEqual(answer, [400, "bad-request"])
