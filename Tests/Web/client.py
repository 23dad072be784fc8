"""A browser that is paired, without a page: requests over verified TLS, and what other clients need to be taken for it."""

import contextlib
import tempfile
import time
import unittest

import requests

import real
from real import LIMIT


class Client:
    """A session of a space, by the certificate of the server's authority."""

    def __init__(self, server, authority):
        self.server, self.authority = server, authority
        self.session = requests.Session()
        self.session.trust_env, self.session.verify = False, authority
        self.fields = {"X-Agonyfs": "1", "Origin": server.root}

    def ask(self, method, path, **words):
        return self.session.request(method, self.server.root + path, headers=self.fields, timeout=LIMIT, **words)

    def pair(self, address):
        """By an address that was shown."""
        place, secret = address.removeprefix(self.server.root).split("#")
        assert self.ask("GET", place).status_code == 200, address
        assert self.ask("POST", "/pair", data=secret).status_code == 204, address

    def login(self, password=real.ONE):
        answer = self.ask("POST", "/login", data=password)
        assert answer.status_code == 204, answer.text

    def lock(self):
        self.ask("POST", "/lock")

    def headers(self):
        """What makes requests of somebody else those of this session."""
        return {**self.fields, "Cookie": "; ".join(f"{each.name}={each.value}" for each in self.session.cookies)}

    def items(self, words=""):
        """The snapshot that the page would show, and its photos."""
        snapshot = self.ask("GET", "/api/sections" + words).json()
        sections = range(len(snapshot["sections"]))
        asked = (self.ask("GET", f"/api/section/{snapshot['snapshot']}/{number}").json() for number in sections)
        return snapshot["snapshot"], {item["name"]: item for section in asked for item in section}

    def item(self, name, form):
        """The answer with a form of a photo."""
        snapshot, items = self.items()
        return self.ask("GET", f"/api/item/{snapshot}/{items[name]['i']}/{form}")


@contextlib.contextmanager
def logged_in(vault):
    """A server whose authority is kept, and a session of the first space; the place of its mount."""
    authority = f"{vault.folder}/authority"
    server = real.Server(vault, "--certificate-folder", authority)
    try:
        client = Client(server, f"{authority}/ca.pem")
        with client.session:
            client.pair(server.address())
            client.login()
            [mount] = vault.mounts()
            yield server, client, mount
            client.lock()
    finally:
        status = server.end()
        assert status == 0 and vault.mounts() == [], f"the server ended with {status}, {vault.mounts()} is left"


@unittest.skipUnless(real.WEB, "AGONYFS_TEST_WEB names no agonyfs-web")
class ServerTest(unittest.TestCase):
    """Each test has a folder, and a stack of what ends with it."""

    def setUp(self):
        closing = contextlib.ExitStack()
        self.addCleanup(closing.close)
        self.folder = closing.enter_context(tempfile.TemporaryDirectory(prefix="agonyfs-test-web-"))
        self.closing = closing

    def enter(self, vault):
        self.vault = vault
        self.server, self.client, self.mount = self.closing.enter_context(logged_in(vault))

    def until(self, condition, said):
        """Waits; `said()` is what a failure shows."""
        end = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end, said())
            time.sleep(0.05)

    def same(self, content, path):
        with open(path, "rb") as file:
            self.assertTrue(file.read() == content, f"{path} is not what was sent or downloaded")

    def file(self, name, content):
        path = f"{self.folder}/{name}"
        with open(path, "wb") as file:
            file.write(content)
        return path
