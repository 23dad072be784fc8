"""What the true server shows at a terminal, as people and their phones see it, and the browser that it opens.

Runs when AGONYFS_TEST_WEB names agonyfs-web.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import real
from client import Client, ServerTest
from support import chromium
from terminal import COLOURS, Terminal, codes


class TerminalTests(ServerTest):
    def serve(self, columns, rows, before=()):
        self.vault = real.Vault(self.folder)
        terminal = self.closing.enter_context(contextlib.closing(Terminal(columns, rows)))
        authority = f"{self.folder}/authority"
        server = real.Server(self.vault, "--certificate-folder", authority, terminal=terminal, before=before)
        self.closing.callback(server.end)
        return terminal, server, f"{authority}/ca.pem"

    @staticmethod
    def is_drawn(server, address):
        """Whether the code below an address is there: its first and last line are empty."""
        below = server.text().rpartition(address)[2]
        return len(re.findall(r"\x1b\[30;107m +\x1b\[0m\n", below)) == 2

    def test_the_code_is_read_from_a_small_screen(self):
        terminal, server, _ = self.serve(80, 24)
        address = server.address()
        self.until(lambda: self.is_drawn(server, address), server.text)
        for name, colours in COLOURS.items():
            with self.subTest(name):
                self.assertEqual(codes(terminal.picture(colours), f"{self.folder}/screen.png"), [address])

    def test_the_code_is_read_from_the_screen(self):
        terminal, server, authority = self.serve(100, 60)
        # Enter shows another one, below the first.
        shown = set()
        for _ in range(2):
            address = server.address()
            shown.add(address)
            self.until(lambda: self.is_drawn(server, address), server.text)
            for name, colours in COLOURS.items():
                with self.subTest(name):
                    found = codes(terminal.picture(colours), f"{self.folder}/screen.png")
                    self.assertEqual(set(found), shown)
            client = Client(server, authority)
            with client.session:
                client.pair(address)
                self.assertEqual(client.ask("GET", "/api/state").json()["locked"], True)
        terminal.type("\x03")
        self.assertEqual(server.process.wait(300), 0)

    def test_in_the_background_it_goes_on(self):
        # As somebody who types `agonyfs serve Vault &`.
        shell = ("bash", "--norc", "-c", 'set -m; "$@" & wait', "shell")
        _, server, authority = self.serve(80, 24, before=shell)
        client = Client(server, authority)
        with client.session:
            client.pair(server.address())
            self.assertEqual(client.ask("GET", "/api/state").json()["locked"], True)
        [job] = subprocess.run(["pgrep", "-P", str(server.process.pid)], capture_output=True, check=True).stdout.split()
        with open(f"/proc/{int(job)}/stat", encoding="utf-8") as file:
            self.assertNotIn(") T ", file.read())
        os.kill(int(job), signal.SIGTERM)
        self.assertEqual(server.process.wait(300), 0)


# Gives a network an address, as the name of an interface and the address say it, by netdevice(7), and goes on with a command.
ADDRESS = """
import fcntl, os, socket, struct, sys
name, address, *command = sys.argv[1:]
place = struct.pack("16sHH4s8x", name.encode(), socket.AF_INET, 0, socket.inet_aton(address))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, 0x8916, place)
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", name.encode(), 0x41))
if command:
    os.execvp(command[0], command)
"""
ALONE = ("unshare", "--net", sys.executable, "-c", ADDRESS, "lo", "127.0.0.1")


class NetworkTests(ServerTest):
    @classmethod
    def setUpClass(cls):
        if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
            raise unittest.SkipTest("needs root, for a network of its own")

    def test_another_address_is_said(self):
        self.vault = real.Vault(self.folder)
        server = real.Server(self.vault, "--listen", "0.0.0.0", before=ALONE)
        self.closing.callback(server.end)
        server.address()
        network = f"--net=/proc/{server.process.pid}/ns/net"
        subprocess.run(["nsenter", network, sys.executable, "-c", ADDRESS, "lo:1", "10.77.0.7"], check=True)
        self.until(lambda: "has the address 10.77.0.7 now" in server.text(), server.text)
        self.assertEqual(server.end(), 0)


# The folder of all programs, with another opener of addresses, for one command alone.
OTHER_PROGRAMS = """
    mount -t tmpfs none "$0"; mkdir "$0/upper" "$0/work"
    mount -t overlay none -o "lowerdir=/usr/bin,upperdir=$0/upper,workdir=$0/work" /usr/bin
    rm -f /usr/bin/xdg-open; [ -z "$1" ] || { cp "$1" /usr/bin/xdg-open; chmod 755 /usr/bin/xdg-open; }
    shift; exec "$@"
"""


class OpenTests(ServerTest):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            command = ["unshare", "--mount", "sh", "-ec", OTHER_PROGRAMS, folder, "", "true"]
            if subprocess.run(command, capture_output=True, check=False).returncode:
                raise unittest.SkipTest("needs root and overlayfs, for a folder of programs")

    def serve(self, opener=""):
        self.vault = real.Vault(self.folder)
        programs = f"{self.folder}/programs"
        os.mkdir(programs)
        before = ("unshare", "--mount", "sh", "-ec", OTHER_PROGRAMS, programs, opener)
        authority = f"{self.folder}/authority"
        server = real.Server(self.vault, "--open", "--certificate-folder", authority, before=before)
        self.closing.callback(server.end)
        return server, f"{authority}/ca.pem"

    def test_the_browser_gets_to_the_address(self):
        script = f"""#!/bin/sh
            for word; do echo "$word"; done >> {self.folder}/words.new
            cp {self.folder}/words.new {self.folder}/words
        """
        server, authority = self.serve(self.file("opener", script.encode()))
        address = server.address()
        self.until(lambda: os.path.exists(f"{self.folder}/words"), server.text)
        with open(f"{self.folder}/words", encoding="utf-8") as file:
            [path] = file.read().splitlines()
        # Everybody on the machine sees the words of a command.
        self.assertTrue(path.startswith(self.vault.runtime + "/"), path)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        with open(path, encoding="utf-8") as file:
            self.assertIn(f'url={address}"', file.read())
        with chromium() as browser:
            page = browser.new_context(ignore_https_errors=True).new_page()
            page.goto(f"file://{path}")
            page.wait_for_selector("#password")
            self.assertEqual(page.evaluate("location.href"), server.root + "/")
        # Another code is for another device, and no browser here uses it up.
        client = Client(server, authority)
        with client.session:
            client.pair(server.address())
        self.assertEqual(server.end(), 0)
        with open(f"{self.folder}/words.new", encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), [path])

    def test_without_a_browser_the_server_goes_on(self):
        server, authority = self.serve()
        client = Client(server, authority)
        self.closing.enter_context(client.session)
        client.pair(server.address())
        [said] = [line for line in server.text().splitlines() if "xdg-open" in line]
        self.assertRegex(said, r"^agonyfs serve: [^.;]*; open the address by hand\.$")
        client.login()
        client.lock()
        self.assertEqual(server.end(), 0)
