"""Clients of the servers that scripts/bench --web compares: one that acts like the page, and one that uses PUT."""

import base64
import hashlib
import http.client
import json
import queue
import ssl
import struct
import threading
import time

from workloads import in_parallel

PIECE = 8 << 20
# The number of simultaneous uploads, as in the page.
AT_ONCE = 3
# The idle seconds after which a new connection is used.
IDLE = 5


class Browser:
    """A paired browser with one persistent connection."""

    def __init__(self, port, code, address="127.0.0.1"):
        context = ssl._create_unverified_context()
        self.port, self.address, self.cookies = port, address, {}
        self.make = lambda: http.client.HTTPSConnection(
            "127.0.0.1", port, context=context, timeout=300, source_address=(address, 0))
        self.connection, self.used = self.make(), time.monotonic()
        path, secret = code
        assert self.ask("GET", "/" + path)[0] == 200
        assert self.ask("POST", "/pair", secret)[0] == 204

    def another(self):
        """The same browser with another connection."""
        other = object.__new__(Browser)
        other.__dict__ = dict(self.__dict__, connection=self.make())
        return other

    def cookie(self):
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def begin(self, method, path, body=None, headers=()):
        # The server closes idle connections, and a browser then opens another one.
        if time.monotonic() - self.used > IDLE:
            self.connection.close()
        self.used = time.monotonic()
        fields = {} if method in ("GET", "HEAD") else {"X-Agonyfs": "1", "Origin": f"https://127.0.0.1:{self.port}"}
        self.connection.request(method, path, body, {**fields, "Cookie": self.cookie(), **dict(headers)})
        answer = self.connection.getresponse()
        for text in answer.headers.get_all("Set-Cookie") or []:
            name, value = text.split(";")[0].split("=", 1)
            self.cookies[name] = value
        return answer

    def ask(self, method, path, body=None, headers=()):
        answer = self.begin(method, path, body, headers)
        return answer.status, answer.headers, answer.read()

    def json(self, method, path, value=None):
        status, _, body = self.ask(method, path, json.dumps(value) if value is not None else None)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def login(self, password):
        status, _, body = self.ask("POST", "/login", password)
        assert status == 204, (status, body)

    def thumbnails(self, snapshot, items):
        """Fetches thumbnails; returns their bytes, and fails if one is missing."""
        asked = json.dumps({"snapshot": snapshot, "items": list(items), "size": 256})
        status, _, body = self.ask("POST", "/api/thumbs", asked)
        assert status == 200, (status, body)
        at, seen = 0, 0
        while at < len(body):
            _, length = struct.unpack_from("<II", body, at)
            assert length > 0, "a thumbnail is missing"
            at += 8 + length
            seen += 1
        assert seen == len(items), f"{seen} thumbnails of {len(items)}"
        return len(body)

    def upload(self, name, content):
        """Sends one file, and checks that the server reports it as verified."""
        encoded = lambda text: base64.b64encode(text.encode()).decode()
        headers = {"Tus-Resumable": "1.0.0"}
        described = f"filename {encoded(name)},album ,modified {encoded('1700000000000')}"
        status, answer, body = self.ask(
            "POST", "/api/upload", headers={**headers, "Upload-Length": str(len(content)), "Upload-Metadata": described})
        assert status == 201, (status, body)
        place = answer["Location"]
        for start in range(0, len(content), PIECE):
            piece = content[start:start + PIECE]
            digest = base64.b64encode(hashlib.sha256(piece).digest()).decode()
            status, answer, body = self.ask("PATCH", place, piece, {
                **headers, "Content-Type": "application/offset+octet-stream", "Upload-Offset": str(start),
                "Upload-Checksum": f"sha256 {digest}"})
            assert status == 204, (status, body)
        assert answer["Agonyfs-Verified"] == "1", "it was not verified"

    def first_byte(self, path, start):
        """The milliseconds until the first byte at an offset of the file arrives."""
        begun = time.perf_counter()
        answer = self.begin("GET", path, headers={"Range": f"bytes={start}-{start + (1 << 20) - 1}"})
        assert answer.status == 206 and len(answer.read(1)) == 1
        milliseconds = 1000 * (time.perf_counter() - begun)
        answer.read()
        return milliseconds


class Putter:
    """Sends files to copyparty in the simplest way, without verification."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def another(self):
        return Putter(self.port)

    def upload(self, name, content):
        self.connection.request("PUT", f"/{name}", content)
        answer = self.connection.getresponse()
        body = answer.read()
        assert answer.status in (200, 201), (answer.status, body)


def upload_all(client, files):
    """The seconds to upload all files, several at a time."""
    waiting, problems = queue.SimpleQueue(), []
    for entry in files.items():
        waiting.put(entry)

    def work(_):
        own = client.another()
        try:
            while True:
                own.upload(*waiting.get_nowait())
        except queue.Empty:
            pass
        except Exception as problem:  # pylint: disable=broad-except
            problems.append(problem)

    begun = time.perf_counter()
    in_parallel(range(AT_ONCE), work)
    seconds = time.perf_counter() - begun
    if problems:
        raise SystemExit(f"an upload failed: {problems[0]!r}")
    return seconds


def crowd(browsers, snapshots, count, rounds=10, pause=1.0, screen=24):
    """Lets all browsers scroll by one screen per second. Returns the milliseconds of each screen of thumbnails, and the
    errors."""
    times, problems = [], []
    ready = threading.Barrier(len(browsers))

    def work(part):
        number, browser, snapshot = part
        try:
            ready.wait()
            time.sleep(pause * number / len(browsers))
            for turn in range(rounds):
                begun = time.perf_counter()
                first = (number * 97 + turn * screen) % max(1, count - screen)
                browser.thumbnails(snapshot, range(first, min(count, first + screen)))
                taken = time.perf_counter() - begun
                times.append(1000 * taken)
                time.sleep(max(0, pause - taken))
        except Exception as problem:  # pylint: disable=broad-except
            problems.append(repr(problem))

    in_parallel(zip(range(len(browsers)), browsers, snapshots), work)
    return sorted(times), problems
