"""What a server leaves that was killed: nothing that tells which space it showed, or how many there are."""

import contextlib
import os
import re
import signal
import subprocess

import real
from client import Client, ServerTest
from real import ONE, OTHER, Vault

# Where programs keep things; each server has its own.
PLACES = {"HOME": "home", "TMPDIR": "tmp", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}


def processes(vault):
    """The server, its program and the mounts of a vault."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{number}/cmdline", "rb") as file:
            if int(number) != os.getpid() and vault.folder.encode() in file.read():
                found.append(int(number))
    return found


class KilledServerTests(ServerTest):
    def left(self, name, passwords):
        """All that there is after both the server and its mounts were killed while sessions of those passwords were open and
        a file was being sent: paths without what is drawn, kinds, modes, lengths."""
        folder = f"{self.folder}/{name}"
        os.mkdir(folder)
        vault = Vault(folder)
        for place in PLACES.values():
            os.mkdir(f"{folder}/{place}")
        words = [f"{variable}={folder}/{place}" for variable, place in PLACES.items()]
        server = real.Server(vault, "--certificate-folder", f"{folder}/authority", before=["env", *words])
        clients = []
        for password in passwords:
            clients.append(Client(server, f"{folder}/authority/ca.pem"))
            clients[-1].pair(server.address())
            clients[-1].login(password)
            made = clients[-1].session.post(
                f"{server.root}/api/upload", headers={
                    **clients[-1].fields, "Tus-Resumable": "1.0.0", "Upload-Length": "400000",
                    "Upload-Metadata": "filename c2VjcmV0LmpwZw=="})
            self.assertEqual(made.status_code, 201, made.text)
        mounts = vault.mounts()
        self.assertEqual(len(mounts), len(passwords))
        for process in processes(vault):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        server.process.wait(real.LIMIT)
        for mount in mounts:
            subprocess.run(["fusermount3", "-uz", mount], check=True)
        for client in clients:
            client.session.close()
        found = []
        for place in ("run", *PLACES.values(), "authority"):
            for parent, folders, names in os.walk(f"{folder}/{place}"):
                for each in folders + names:
                    path = os.path.join(parent, each)
                    status = os.lstat(path)
                    drawn = re.sub(r"(?<=agonyfs-web\.)\w+|[0-9a-f]{8,}|[0-9]+", "N", os.path.relpath(path, folder))
                    is_file = os.path.isfile(path) and not path.endswith(".pem")
                    found.append((drawn, oct(status.st_mode), status.st_size if is_file else 0))
                    if is_file:
                        with open(path, "rb") as file:
                            content = file.read()
                        for word in (ONE, OTHER, "secret.jpg"):
                            self.assertNotIn(word.encode(), content, path)
        return sorted(found)

    def test_it_is_the_same_whichever_space_was_shown(self):
        first, other = self.left("first", [ONE]), self.left("other", [OTHER])
        self.assertEqual(first, other)
        # Two sessions leave a folder each, and nothing else.
        both = self.left("both", [ONE, OTHER])
        self.assertEqual(set(both), set(first))
