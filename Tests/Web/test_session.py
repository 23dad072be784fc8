"""What the page tells the server while it is open, so that the session of a page that is gone can end."""

import unittest

from support import PASSWORD, PageTest


class SessionTests(PageTest):
    def test_an_open_page_says_that_it_is_there_and_whether_it_is_used(self):
        page = self.open()
        page.clock.install()
        page.fill("#password", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_selector(".cell")

        def asked():
            """What is asked within half a minute of the page's clock; the server ends a session after 90 s."""
            with page.expect_request("**/api/state*") as request:
                page.clock.fast_forward(26_000)
            return request.value.url.partition("/api/state")[2]

        asked()
        for _ in range(3):
            self.assertEqual(asked(), "")
        page.mouse.wheel(0, 100)
        self.assertEqual(asked(), "?used=1")
        self.assertEqual(asked(), "")


if __name__ == "__main__":
    unittest.main()
