#!/usr/bin/env python3
"""record.py RECORD WORDS...: runs `python -m unittest WORDS...` and writes what became of each test into RECORD.

Without AGONYFS_TEST_ALL a third of the tests, drawn with AGONYFS_TEST_SEED, unless some are asked for by `-k`.

A line of RECORD is an event as `swift test --event-stream-output-path` writes it, as far as scripts/test-summary reads it.
"""

import inspect
import json
import os
import sys
import time
import unittest

from support import sample


class Record(unittest.TextTestResult):
    def begin(self, test):
        """All that is to be run, before anything runs: so a run that was ended shows what is missing."""
        for each in each_of(test):
            self.say("function", id=each.id(), name=each.id(), sourceLocation=place(each))

    def say(self, kind, **facts):
        payload = {"kind": kind, "instant": {"absolute": time.monotonic()}, **facts}
        print(json.dumps({"payload": payload}), file=self.record, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.say("testStarted", testID=test.id())

    def stopTest(self, test):
        super().stopTest(test)
        if not (self.skipped and self.skipped[-1][0] is test):
            self.say("testEnded", testID=test.id())

    # Also of what is no test, such as `setUpClass`; the summary counts that as one that belongs to no test.
    def issue(self, test, error):
        self.say("issueRecorded", testID=test.id(), issue={}, messages=[{"text": self._exc_info_to_string(error, test)}])

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.issue(test, error)

    def addError(self, test, error):
        super().addError(test, error)
        self.issue(test, error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.issue(test, error)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say("testSkipped", testID=test.id(), messages=[{"text": f'Test skipped: "{reason}"'}])

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.say("issueRecorded", testID=test.id(), issue={}, messages=[{"text": "unexpected success"}])


def each_of(test):
    for each in test if isinstance(test, unittest.TestSuite) else ():
        yield from each_of(each)
    if not isinstance(test, unittest.TestSuite):
        yield test


def place(test):
    method = getattr(test, getattr(test, "_testMethodName", ""), None)
    if method is None:
        return None
    return {"fileID": os.path.basename(inspect.getfile(type(test))), "line": inspect.getsourcelines(method)[1]}


class Runner(unittest.TextTestRunner):
    resultclass = Record

    def run(self, test):
        if "-k" not in sys.argv:
            # A browser takes seconds for each; many runs together try all of a file.
            tests = list(each_of(test))
            test = unittest.TestSuite(sample(tests, (len(tests) + 2) // 3, "page " + os.path.basename(sys.argv[1])))
        self.tests = test
        return super().run(test)

    def _makeResult(self):
        result = super()._makeResult()
        result.record = self.record
        result.begin(self.tests)
        return result


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as Runner.record:
        unittest.main(module=None, argv=["unittest", *sys.argv[2:]], testRunner=Runner)
