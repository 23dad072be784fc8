"""scripts/bench --library: it measures what it says, and leaves nothing."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import real
from page_photos import noise
from real import LIMIT

BENCHMARK = os.path.join(real.ROOT, "scripts/benchmark")
sys.path.insert(0, BENCHMARK)

from library_memory import with_folder  # pylint: disable=wrong-import-position


@unittest.skipUnless(real.WEB, "AGONYFS_TEST_WEB names no agonyfs-web")
class LibraryBenchTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="agonyfs-test-web-")
        self.addCleanup(folder.cleanup)
        self.folder, self.work = folder.name, f"{folder.name}/work"
        os.mkdir(self.work)

    def start(self, *words):
        self.output = f"{self.folder}/results.json"
        command = [sys.executable, f"{BENCHMARK}/library.py", "--agonyfs", real.program(), "--web", os.path.abspath(real.WEB),
                   "--folder", self.work, "--json", self.output, "--small", "--library", *words]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                start_new_session=True)

    def ended(self, process):
        """Its status and what it said; nothing of it is left."""
        said = process.communicate(timeout=LIMIT)[0]
        self.assertEqual(os.listdir(self.work), [], said)
        self.assertEqual(self.mounts(), [], said)
        self.assertEqual(with_folder(self.work), [], said)
        return process.returncode, said

    def results(self, *words):
        status, said = self.ended(self.start(*words))
        self.assertEqual(status, 0, said)
        with open(self.output, encoding="utf-8") as file:
            return json.load(file)["results"]

    def mounts(self):
        with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as file:
            return [line.split()[1] for line in file if line.split()[1].startswith(self.work)]

    def browsers(self):
        """Processes of the browser whose files are in the folder."""
        found = []
        for process in with_folder(self.work):
            try:
                with open(f"/proc/{process}/comm", encoding="utf-8") as file:
                    found += [process] if file.read().startswith("chrom") else []
            except OSError:
                continue
        return found

    def test_every_photo_is_imported_found_and_shown(self):
        found = self.results("12", "--batch", "5", "--processors", "1")
        self.assertEqual([batch["photos"] for batch in found["batches"]], [5, 5, 2])
        self.assertEqual((found["steps"]["photos on the page"], found["steps"]["pictures shown"]), (12, 12))
        self.assertIn("thumbnails again, processors: 1, photos/s", found["steps"])
        for part, program in (("filling", "agonyfs import"), ("filling", "agonyfs-decoder"), ("questions", "agonyfs mount"),
                              ("page", "agonyfs-web"), ("page", "agonyfs mount"), ("processors: 1", "agonyfs-decoder")):
            self.assertGreater(found["memory"][part][program]["MiB"], 1, (part, program))

    def test_photos_are_cut_from_pictures_that_are_given(self):
        pictures = f"{self.folder}/pictures"
        os.mkdir(pictures)
        noise(400, 300, 1).save(f"{pictures}/one.png")
        with open(f"{pictures}/broken.jpg", "wb") as file:
            file.write(b"no picture")
        # Photos with the same bytes would be stored once, and known as often as they have names all the same.
        found = self.results("6", "--photos", pictures, "--way", "cp", "--no-browser")
        self.assertEqual(found["batches"][0]["photos"], 6)
        self.assertNotIn("page", found["memory"])

    def test_a_disk_that_is_too_small_is_refused_before_anything_is_made(self):
        status, said = self.ended(self.start(str(10 ** 12), "--no-browser"))
        self.assertEqual(status, 1, said)
        self.assertRegex(said, r"photos need about [\d,.]+ GB in .*/work, where [\d,.]+ GB are free")
        self.assertFalse(os.path.exists(self.output))

    def test_more_processors_than_there_are_are_refused(self):
        status, said = self.ended(self.start("1", "--processors", "1,100000"))
        self.assertEqual(status, 2, said)
        self.assertIn("this machine has no more", said)

    def test_an_interrupt_leaves_nothing(self):
        for name, words, is_there in (("mount", ["20", "--batch", "1", "--no-browser"], self.mounts),
                                      ("browser", ["4"], self.browsers)):
            with self.subTest(name):
                process = self.start(*words)
                end = time.monotonic() + LIMIT
                while not is_there():
                    self.assertIsNone(process.poll())
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.05)
                # As a terminal does, which tells all of the group.
                os.killpg(process.pid, signal.SIGINT)
                status, said = self.ended(process)
                self.assertEqual(status, 130, said)


if __name__ == "__main__":
    unittest.main()
