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

from PIL import Image, ImageOps

import real
from client import Client, ServerTest
from support import chromium
from terminal import BLOCKS, COLOURS, HEIGHT, WIDTH, Terminal, codes

# The first and the last line of a code.
EMPTY = r"\x1b\[30;107m +\x1b\[0m\n"


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
        return len(re.findall(EMPTY, below)) == 2

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

    def test_codes_at_the_same_time_do_not_mix(self):
        terminal, server, _ = self.serve(100, 60)
        self.until(lambda: self.is_drawn(server, "Press Enter for another one."), server.text)
        for number in range(1, 11):
            terminal.type("\n")
            server.process.send_signal(signal.SIGUSR1)
            # The first and the last line of each code are empty.
            self.until(lambda: len(re.findall(EMPTY, server.text())) == 2 + 4 * number, server.text)
        lines = server.text().partition("For one browser")[2].splitlines()[1:]
        kinds = "".join("Q" if line.startswith("\x1b") else line[0] for line in lines if line)
        height = kinds.rpartition("h")[2]
        self.assertEqual(kinds, "h" + f"{height}Fh" * 20 + height)

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


class LogTests(ServerTest):
    def test_a_log_has_the_code_without_colours(self):
        self.vault = real.Vault(self.folder)
        server = real.Server(self.vault)
        self.closing.callback(server.end)
        address = server.address()

        def rows():
            return [line for line in server.text().splitlines() if line and set(line) <= set(BLOCKS)]

        # The first and the last line are light as a whole.
        self.until(lambda: len([row for row in rows() if set(row) == {"█"}]) == 2, server.text)
        self.assertTrue(server.text().startswith("Open this address on this machine; Ctrl-C ends.\n"), server.text())
        self.assertNotIn("\x1b", server.text())
        drawn = rows()
        picture = Image.new("L", (len(drawn[0]) * WIDTH, len(drawn) * HEIGHT), 0)
        for row, line in enumerate(drawn):
            for column, character in enumerate(line):
                for half in BLOCKS[character]:
                    place = (column * WIDTH, row * HEIGHT + half * HEIGHT // 2)
                    picture.paste(255, (*place, place[0] + WIDTH, place[1] + HEIGHT // 2))
        self.assertEqual(codes(ImageOps.expand(picture, 24, 0), f"{self.folder}/screen.png"), [address])
        self.assertEqual(server.end(), 0)


# Gives a network an address, as the name of an interface and the address say it, by netdevice(7) and ipv6(7), and goes on with a
# command.
ADDRESS = """
import fcntl, os, socket, struct, sys
name, address, *command = sys.argv[1:]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    if ":" not in address:
        fcntl.ioctl(any_socket, 0x8916, struct.pack("16sHH4s8x", name.encode(), socket.AF_INET, 0, socket.inet_aton(address)))
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", name.encode(), 0x41))
if ":" in address:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as any_socket:
        place = socket.inet_pton(socket.AF_INET6, address)
        fcntl.ioctl(any_socket, 0x8916, struct.pack("16sIi", place, 128, socket.if_nametoindex(name)))
if command:
    os.execvp(command[0], command)
"""
ALONE = ("unshare", "--net", sys.executable, "-c", ADDRESS, "lo", "127.0.0.1")

# The status of what a server answers for a path at an address, and its certificate there.
LOOK = """
import http.client, ssl, sys
address, port, path, host = sys.argv[1:]
context = ssl._create_unverified_context()
connection = http.client.HTTPSConnection(address, int(port), context=context, timeout=300)
connection.connect()
certificate = ssl.DER_cert_to_PEM_cert(connection.sock.getpeercert(True))
connection.request("GET", path, headers={"Host": f"{host}:{port}"})
print(connection.getresponse().status)
print(certificate)
"""


class NetworkTests(ServerTest):
    @classmethod
    def setUpClass(cls):
        if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
            raise unittest.SkipTest("needs root, for a network of its own")

    def serve(self, *listen, before=ALONE, words=()):
        self.vault = getattr(self, "vault", None) or real.Vault(self.folder)
        server = real.Server(self.vault, *words, before=before, listen=listen)
        self.closing.callback(server.end)
        return server

    def inside(self, server, *command):
        """What a command says in the network of a server."""
        network = f"--net=/proc/{server.process.pid}/ns/net"
        return subprocess.run(["nsenter", network, *command], capture_output=True, text=True, check=True).stdout

    def give(self, server, name, address):
        self.inside(server, sys.executable, "-c", ADDRESS, name, address)

    def asked(self, server, address, path, host=None):
        """The status of a path at an address, and below it the certificate there."""
        return self.inside(server, sys.executable, "-c", LOOK, address, str(server.port), path, host or address)

    def look(self, server, address, path, host=None):
        """The status of a path at an address, and the addresses in the certificate there."""
        said = self.asked(server, address, path, host)
        names = subprocess.run(["openssl", "x509", "-noout", "-ext", "subjectAltName"], input=said.partition("\n")[2],
                               capture_output=True, text=True, check=True).stdout
        return int(said.split()[0]), re.findall(r"IP Address:(\S+)", names)

    def shown(self, server):
        """The host and the path of the next code."""
        server.address()
        return re.findall(r"^https://(\S+):\d+(/\w+)#\w+$", server.text(), re.M)[-1]

    def test_the_next_code_is_for_another_address(self):
        server = self.serve()
        self.assertEqual(self.shown(server)[0], "127.0.0.1")
        self.assertIn("Phones cannot reach 127.0.0.1", server.text())
        self.give(server, "lo:1", "10.77.0.7")
        self.until(lambda: "address of this machine is now 10.77.0.7" in server.text(), server.text)
        host, path = self.shown(server)
        self.assertEqual(host, "10.77.0.7")
        # Who has another code gets the certificate for the address of that one.
        self.assertEqual(self.look(server, "10.77.0.7", path), (200, ["10.77.0.7"]))
        self.assertEqual(self.look(server, "127.0.0.1", path), (200, ["127.0.0.1"]))
        self.assertEqual(self.look(server, "10.77.0.7", path, "evil.example")[0], 404)
        self.assertEqual(len(re.findall(r"^Fingerprint", server.text(), re.M)), 2)
        self.assertEqual(server.end(), 0)

    def test_an_address_that_comes_back_has_the_certificate_that_browsers_know(self):
        for words in ((), ("--certificate-folder", f"{self.folder}/authority")):
            with self.subTest(words):
                server = self.serve(words=words)
                self.shown(server)
                certificates = []
                for address in ("10.77.0.7", "10.77.0.8", "10.77.0.7"):
                    self.give(server, "lo:1", address)
                    host, path = self.shown(server)
                    self.assertEqual(host, address)
                    certificates.append(self.asked(server, host, path))
                self.assertEqual(certificates[0], certificates[2])
                self.assertNotEqual(certificates[0], certificates[1])
                said = re.findall(r"^Fingerprint.*\n(.*)$", server.text(), re.M)
                self.assertEqual(len(said), 4)
                self.assertEqual(said[1], said[3], "it is for whoever compares it")
                self.assertEqual(server.end(), 0)

    def test_an_authority_that_may_not_sign_is_said(self):
        server = self.serve(words=("--certificate-folder", f"{self.folder}/authority"))
        self.shown(server)
        # An address for documents, which is not private.
        self.give(server, "lo:1", "198.51.100.7")
        self.until(lambda: "address of this machine is now 198.51.100.7" in server.text(), server.text)
        self.assertIn("remove ca.pem and ca-key.pem", server.text())
        self.assertEqual(self.shown(server)[0], "127.0.0.1")
        for name in ("ca.pem", "ca-key.pem"):
            os.unlink(f"{self.folder}/authority/{name}")
        host, path = self.shown(server)
        self.assertEqual(host, "198.51.100.7")
        self.assertEqual(self.look(server, host, path), (200, [host]))
        self.assertEqual(server.end(), 0)

    def test_version_6_alone(self):
        before = (*ALONE, sys.executable, "-c", ADDRESS, "lo", "fd00:77::7")
        if subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
            self.skipTest("the kernel has no version 6")
        for listen in ((), ("--listen", "::")):
            with self.subTest(listen):
                server = self.serve(*listen, before=before)
                host, path = self.shown(server)
                self.assertEqual(host, "[fd00:77::7]")
                self.assertEqual(self.look(server, "fd00:77::7", path, host), (200, ["FD00:77:0:0:0:0:0:7"]))
                self.assertEqual(self.look(server, "127.0.0.1", path)[0], 200)
                self.assertEqual(server.end(), 0)

    def test_the_others_are_named(self):
        give = (sys.executable, "-c", ADDRESS)
        server = self.serve(before=(*ALONE, *give, "lo:1", "10.77.0.7", *give, "lo:2", "10.77.0.8"))
        self.assertEqual(self.shown(server)[0], "10.77.0.7")
        self.assertTrue(server.text().startswith("Scan this code with a phone; Ctrl-C ends.\n"), server.text())
        self.assertIn("The code has the address 10.77.0.7. For a code with 10.77.0.8 (lo), use --listen.\n",
                      server.text())
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
        self.assertRegex(said, r"^agonyfs serve: [^.;]*; open the address yourself\.$")
        client.login()
        client.lock()
        self.assertEqual(server.end(), 0)
