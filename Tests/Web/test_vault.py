"""The vault that the tests of the page share, when a process that makes it is killed."""

import os
import signal
import subprocess
import sys
from unittest import mock

import real
from client import ServerTest

# Begins one in the folder of the first word, and is killed while that is mounted.
BEGIN = """
import os, signal, sys
import real

def fill(vault, password, photos):
    with vault.mounted(password) as place:
        open(f"{place}/begun", "x").close()
        print(place, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

real.Vault.fill, real.page_photos.make = fill, lambda folder: folder
os.environ["AGONYFS_TEST_DERIVATIONS"] = f"{sys.argv[1]}/derivations"
real.page_vault(sys.argv[1])
"""


class SharedVaultTests(ServerTest):
    def test_what_a_killed_process_began_is_in_nobodys_way(self):
        begun = subprocess.run([sys.executable, "-c", BEGIN, self.folder], stdout=subprocess.PIPE, text=True, check=False,
                               cwd=os.path.dirname(os.path.abspath(real.__file__)))
        self.assertEqual(begun.returncode, -signal.SIGKILL)
        place = begun.stdout.strip()
        self.closing.callback(subprocess.run, [real.program(), "unmount", place], check=True)
        made = []

        def make(folder):
            made.append(folder)
            os.mkdir(folder)
            real.noise(64, 48, 1).save(f"{folder}/whole.jpg")
            return folder

        shared = {"AGONYFS_TEST_DERIVATIONS": f"{self.folder}/derivations"}
        with mock.patch.dict(os.environ, shared), mock.patch.object(real.page_photos, "make", make):
            for name in ("one", "other"):
                os.mkdir(f"{self.folder}/{name}")
                with real.page_vault(f"{self.folder}/{name}").mounted(real.ONE) as mount:
                    self.assertTrue(os.path.exists(f"{mount}/whole.jpg"))
        self.assertEqual(len(made), 1)
        self.assertTrue(os.path.exists(f"{place}/begun"))
