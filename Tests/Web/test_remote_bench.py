"""The proxy of scripts/bench --remote: it delays without a queue, changes nothing, and counts every request."""

import collections
import heapq
import os
import socket
import sys
import threading
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "scripts/benchmark"))

from remote_proxy import WINDOW, Line, Proxy, Requests  # pylint: disable=wrong-import-position

# Seconds after which something hangs.
LIMIT = 60


class Clock:
    """A loop whose time goes on only when it is told."""

    def __init__(self):
        self.now, self.calls = 0.0, []

    def time(self):
        return self.now

    def call_at(self, moment, function):
        heapq.heappush(self.calls, (moment, len(self.calls), function))
        return function

    def go(self, moment):
        while self.calls and self.calls[0][0] <= moment:
            self.now, _, function = heapq.heappop(self.calls)
            function()
        self.now = moment


class Target:
    """A transport that notes what is written, and when."""

    def __init__(self, clock):
        self.clock, self.written = clock, []

    def write(self, data):
        self.written.append((self.clock.now, bytes(data)))

    def close(self):
        self.written.append((self.clock.now, None))


class LineTests(unittest.TestCase):
    def setUp(self):
        self.clock, self.reading = Clock(), []
        self.target = Target(self.clock)
        self.line = Line(self.clock, 5, self.reading.append)

    def test_each_part_is_late_by_the_delay_and_none_waits_for_another(self):
        self.line.open(self.target)
        for moment, data in ((0, b"a"), (1, b"b"), (1, b"c"), (9, b"d")):
            self.clock.go(moment)
            self.line.send(data)
        self.clock.go(9)
        self.line.send(None)
        self.clock.go(100)
        self.assertEqual(self.target.written, [(5, b"a"), (6, b"b"), (6, b"c"), (14, b"d"), (14, None)])

    def test_a_handshake_delays_only_what_is_sent_before_its_end(self):
        self.line.open(self.target)
        self.line.send(b"a", 3)
        self.clock.go(4)
        self.line.send(b"b", 3)
        self.clock.go(100)
        self.assertEqual(self.target.written, [(8, b"a"), (9, b"b")])

    def test_what_is_sent_before_the_server_is_there_comes_in_order(self):
        self.line.send(b"a")
        self.clock.go(7)
        self.line.send(b"b")
        self.line.open(self.target)
        self.clock.go(100)
        self.assertEqual(self.target.written, [(7, b"a"), (12, b"b")])

    def test_a_full_transport_is_waited_for(self):
        self.line.open(self.target)
        self.line.pause()
        self.line.send(b"a")
        self.clock.go(20)
        self.assertEqual(self.target.written, [])
        self.line.resume()
        self.assertEqual(self.target.written, [(20, b"a")])

    def test_reading_stops_while_too_much_is_on_its_way(self):
        self.line.open(self.target)
        self.line.send(bytes(WINDOW))
        self.assertEqual(self.reading, [])
        self.line.send(b"a")
        self.assertEqual(self.reading, [False])
        self.clock.go(100)
        self.assertEqual(self.reading, [False, True])


# Requests as clients send them, and the kinds of those in each.
SENT = [
    (b"PUT /b/p/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\nGET /b/x HTTP/1.1\r\n\r\n"[:-1], ["PUT"]),
    (b"GET /b?list-type=2&prefix=p%2F HTTP/1.1\r\n\r\n", ["LIST"]),
    (b"GET /b/?location HTTP/1.1\r\n\r\n", ["GET"]),
    (b"GET /b/list-type?versionId=1 HTTP/1.1\r\n\r\n", ["GET"]),
    (b"HEAD /b/p/1 HTTP/1.1\r\n\r\nDELETE /b/p/1 HTTP/1.1\r\ncontent-length:0\r\n\r\n", ["HEAD", "DELETE"]),
    (b"PUT /b/2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;signature=1\r\na\r\n\r\n12\r\nGET / HTTP/1.1\r\n\r\n\r\n"
     b"0\r\nx-amz-checksum: 1\r\n\r\n", ["PUT"]),
    (b"POST /b?delete HTTP/1.1\r\nContent-Length: 3\r\n\r\n\r\n\r", ["POST"]),
]


class RequestTests(unittest.TestCase):
    def test_every_request_is_counted_however_its_bytes_are_split(self):
        whole = b"".join(sent for sent, _ in SENT)
        wanted = [kind for _, kinds in SENT for kind in kinds]
        for size in (1, 2, 3, 7, 64, len(whole)):
            with self.subTest(size):
                found = []
                requests = Requests(found.append)
                for start in range(0, len(whole), size):
                    requests.take(whole[start:start + size])
                self.assertEqual(found, wanted)

    def test_what_is_not_http_is_refused(self):
        for sent in (b"\x16\x03\x01\r\n\r\n", b"PUT /b HTTP/1.1\r\nContent-Length: x\r\n\r\n", bytes(1 << 17)):
            with self.subTest(sent[:20]), self.assertRaises(ValueError):
                Requests(lambda kind: None).take(sent)


class ProxyTests(unittest.TestCase):
    """With a server that keeps the bytes which it gets, and replies at the end of each request."""

    def setUp(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        # Ends the thread that accepts.
        self.addCleanup(self.listener.shutdown, socket.SHUT_RDWR)
        self.got = collections.defaultdict(bytearray)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, address = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.reply, args=(connection, self.got[address]), daemon=True).start()

    @staticmethod
    def reply(connection, got):
        with connection:
            while data := connection.recv(1 << 16):
                got += data
                if got.endswith(b"end"):
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")

    def client(self, proxy):
        client = socket.create_connection(("127.0.0.1", proxy.port), timeout=LIMIT)
        self.addCleanup(client.close)
        return client

    @staticmethod
    def answer(client):
        found = b""
        while not found.endswith(b"good"):
            data = client.recv(1 << 16)
            if not data:
                break
            found += data
        return found

    def test_bytes_stay_as_they_are_and_are_counted(self):
        body = os.urandom(3_000_000) + b"end"
        request = b"PUT /b/1 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        with Proxy(*self.listener.getsockname()) as proxy:
            proxy.begin(0.02)
            one, other = self.client(proxy), self.client(proxy)
            replies = []
            for client in (one, one, other):
                client.sendall(request)
                replies.append(self.answer(client))
            found = proxy.found()
        self.assertEqual(len(set(replies)), 1)
        self.assertTrue(replies[0].startswith(b"HTTP/1.1 200 OK"))
        self.assertEqual(sorted(map(bytes, self.got.values())), sorted([request * 2, request]))
        self.assertEqual(found, {"kinds": {"PUT": 3}, "connections": 2, "sent": 3 * len(request),
                                 "received": 3 * len(replies[0])})

    def test_counts_begin_anew_and_old_connections_end(self):
        with Proxy(*self.listener.getsockname()) as proxy:
            client = self.client(proxy)
            client.sendall(b"GET /b/end HTTP/1.1\r\nContent-Length: 3\r\n\r\nend")
            self.answer(client)
            proxy.begin(0)
            try:
                self.assertEqual(client.recv(1), b"")
            except ConnectionResetError:
                pass
            self.assertEqual(proxy.found(), {"kinds": {}, "connections": 0, "sent": 0, "received": 0})

    def test_a_server_that_is_not_there_ends_the_connection(self):
        # It has an address, but does not listen.
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            with Proxy(*server.getsockname()) as proxy:
                client = self.client(proxy)
                try:
                    self.assertEqual(client.recv(1), b"")
                except ConnectionResetError:
                    pass


if __name__ == "__main__":
    unittest.main()
