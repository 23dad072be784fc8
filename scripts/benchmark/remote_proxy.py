"""A loopback proxy in front of a server of HTTP, which adds the delay of a distant server and counts the requests.

1. It changes no byte, so signatures stay valid: clients sign the proxy's address, which is their endpoint.
2. Bytes arrive half a delay after they were sent, in both directions. They do not wait for one another: what is sent in
   one moment arrives in one moment.
3. The first byte of a connection waits one delay more, as it does for the handshake of TCP. The handshake of TLS, slow
   starts and lost packets are not imitated, and the rate is not limited.
"""

import asyncio
import collections
import threading

# The most bytes of a connection that are on their way in one direction: more than any program sends in a request, so that
# they do not limit the rate.
WINDOW = 64 << 20
# The most bytes of the head of a request or the line before a chunk. Longer ones are not HTTP.
MOST_LINE = 64 << 10


class Line:
    """One direction of a connection: writes everything to a transport after the delay, in the order in which it came.

    The loop is asyncio's, or has `time` and `call_at` as it has.
    """

    def __init__(self, loop, seconds, set_reading):
        """`set_reading` is called with False when too much is on its way, and with True when it is not any more."""
        self.loop, self.seconds, self.set_reading = loop, seconds, set_reading
        # Bytes and the moments at which they arrive; None in place of bytes is the end.
        self.waiting = collections.deque()
        self.bytes, self.is_reading = 0, True
        self.transport, self.is_open, self.timer = None, True, None

    def open(self, transport):
        """From now on there is a transport to write to."""
        self.transport = transport
        self.move()

    def send(self, data, earliest=0.0):
        """Sends bytes, or the end for None, as if they were sent at the moment `earliest` if it is still to come."""
        self.waiting.append((max(self.loop.time(), earliest) + self.seconds, data))
        self.bytes += len(data or b"")
        if self.bytes > WINDOW and self.is_reading:
            self.is_reading = False
            self.set_reading(False)
        self.move()

    def pause(self):
        """The transport takes no more until `resume`."""
        self.is_open = False

    def resume(self):
        self.is_open = True
        self.move()

    def move(self):
        """Writes what has arrived, and returns here when more will have."""
        if self.transport is None:
            return
        while self.is_open and self.waiting and self.waiting[0][0] <= self.loop.time():
            _, data = self.waiting.popleft()
            if data is None:
                self.transport.close()
            else:
                self.bytes -= len(data)
                self.transport.write(data)
        if self.bytes <= WINDOW // 2 and not self.is_reading:
            self.is_reading = True
            self.set_reading(True)
        if self.is_open and self.waiting and self.timer is None:
            self.timer = self.loop.call_at(self.waiting[0][0], self.awake)

    def awake(self):
        self.timer = None
        self.move()


class Requests:
    """Finds the requests in what a client sends over one connection."""

    def __init__(self, note):
        """`note` is called with the kind of each request: its method, or LIST for a GET of names."""
        self.note = note
        self.head = bytearray()
        # The bytes of a body or a chunk that are still to come; the function that takes what follows.
        self.body, self.next = 0, self.take_head

    def take(self, data):
        """Takes the next bytes, which may end anywhere."""
        view = memoryview(data)
        while view:
            if self.body:
                skipped = min(self.body, len(view))
                self.body -= skipped
                view = view[skipped:]
            else:
                view = self.next(view)

    def until(self, mark, view):
        """The text before a mark once it has come, and what follows."""
        known = max(0, len(self.head) - len(mark) + 1)
        before = len(self.head)
        self.head += view[:MOST_LINE]
        end = self.head.find(mark, known)
        if end < 0:
            if len(self.head) > MOST_LINE:
                raise ValueError("The bytes of the client are not HTTP.")
            return None, view[MOST_LINE:]
        text = self.head[:end].decode("latin-1")
        self.head.clear()
        return text, view[end + len(mark) - before:]

    def take_head(self, view):
        text, view = self.until(b"\r\n\r\n", view)
        if text is None:
            return view
        first, *lines = text.lstrip("\r\n").split("\r\n")
        method, target, _ = first.split(" ", 2)
        fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if "chunked" in fields.get("transfer-encoding", "").lower():
            self.next = self.take_size
        else:
            self.body = int(fields.get("content-length") or 0)
        self.note("LIST" if is_list(method, target) else method)
        return view

    def take_size(self, view):
        """The line before a chunk."""
        text, view = self.until(b"\r\n", view)
        if text is None:
            return view
        size = int(text.partition(";")[0], 16)
        # The end of a line follows the chunk; other fields or an empty line follow the last one, which is empty.
        self.body = size + 2 if size else 0
        self.next = self.take_size if size else self.take_fields
        return view

    def take_fields(self, view):
        text, view = self.until(b"\r\n", view)
        if text == "":
            self.next = self.take_head
        return view


def is_list(method, target):
    """Whether a request asks for the names in a bucket: its path is only a bucket, and it is about nothing else."""
    path, _, query = target.partition("?")
    names = {word.partition("=")[0] for word in query.split("&")}
    return method == "GET" and "/" not in path.strip("/") and (not query or bool(
        names & {"list-type", "prefix", "delimiter", "max-keys", "marker"}))


class Half(asyncio.Protocol):
    """One of the two connections that make a connection through the proxy. `line` leads to the other one."""

    def __init__(self, proxy):
        self.proxy, self.transport, self.other, self.line = proxy, None, None, None
        self.earliest = 0.0

    def join(self, other):
        """Sends what comes here to another half."""
        self.other = other
        self.line = Line(self.proxy.loop, self.proxy.seconds / 2, self.set_reading)

    def set_reading(self, is_wanted):
        if self.transport.is_closing():
            return
        if is_wanted:
            self.transport.resume_reading()
        else:
            self.transport.pause_reading()

    def connection_made(self, transport):
        self.transport = transport
        self.proxy.halves.add(self)

    def data_received(self, data):
        self.line.send(data, self.earliest)

    def eof_received(self):
        # Closes this half, too. HTTP clients end a connection only after the last reply.
        return False

    def connection_lost(self, _):
        self.proxy.halves.discard(self)
        if self.line:
            self.line.send(None)

    def pause_writing(self):
        self.other.line.pause()

    def resume_writing(self):
        self.other.line.resume()


class ServerHalf(Half):
    """The connection to the server."""

    def connection_made(self, transport):
        super().connection_made(transport)
        self.line.open(self.other.transport)
        self.other.line.open(transport)

    def data_received(self, data):
        self.proxy.counts["received"] += len(data)
        super().data_received(data)


class ClientHalf(Half):
    """The connection of a client."""

    def __init__(self, proxy):
        super().__init__(proxy)
        self.requests = Requests(self.note)

    def note(self, kind):
        self.proxy.kinds[kind] += 1

    def connection_made(self, transport):
        super().connection_made(transport)
        self.proxy.counts["connections"] += 1
        self.earliest = self.proxy.loop.time() + self.proxy.seconds
        server = ServerHalf(self.proxy)
        self.join(server)
        server.join(self)
        task = self.proxy.loop.create_task(self.connect(server))
        self.proxy.tasks.add(task)
        task.add_done_callback(self.proxy.tasks.discard)

    async def connect(self, server):
        try:
            await self.proxy.loop.create_connection(lambda: server, *self.proxy.server)
        except OSError:
            self.transport.abort()

    def data_received(self, data):
        self.proxy.counts["sent"] += len(data)
        try:
            self.requests.take(data)
        except ValueError:
            self.proxy.counts["not HTTP"] += 1
            self.transport.abort()
            return
        super().data_received(data)


class Proxy:
    """A proxy that runs in a thread of its own, as a context manager. `port` is its port on 127.0.0.1."""

    def __init__(self, host, port):
        self.server, self.seconds = (host, port), 0.0
        self.halves, self.tasks = set(), set()
        self.kinds, self.counts = collections.Counter(), collections.Counter()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        self.listener = self.do(self.loop.create_server(lambda: ClientHalf(self), "127.0.0.1", 0))
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_):
        self.do(self.end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def do(self, work):
        """Runs a coroutine in the thread, and returns its result."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def end(self):
        self.listener.close()
        await self.disconnect()

    async def disconnect(self):
        for half in list(self.halves):
            half.transport.abort()
        while self.halves or self.tasks:
            await asyncio.sleep(0.01)

    def begin(self, seconds):
        """Ends all connections, and counts anew with this delay: the time from a request to its reply over a line."""
        async def reset():
            await self.disconnect()
            self.seconds = seconds
            self.kinds, self.counts = collections.Counter(), collections.Counter()
        self.do(reset())

    def found(self):
        """The requests of each kind, and `connections`, `sent` and `received` (bytes) since `begin`."""
        async def copied():
            return dict(self.kinds), dict(self.counts)
        kinds, counts = self.do(copied())
        return {"kinds": kinds, **{name: counts.get(name, 0) for name in ("connections", "sent", "received")}}
