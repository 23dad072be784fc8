import Glibc
import TestSupport
import Testing

/// Runs `agonyfs serve` for scripts of Python, with the agonyfs-web that `AGONYFS_TEST_WEB` names.
enum WebDriver {
  /// The program; nil if it is not to be tested.
  static let program = unsafe getenv("AGONYFS_TEST_WEB").map { unsafe String(cString: $0) }

  /// Runs a script of Python beside a vault of its own, which succeeds if nothing is raised; what it said is shown when
  /// it does not. `Server(WORDS...)` is a server, `server.browser()` a paired browser; `browser.ask(METHOD, PATH,
  /// BODY)` gives status, headers and body. With `program=SCRIPT` a script of the shell stands in for agonyfs, as far as
  /// the server asks it.
  static func expectSuccess(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let workspace = try Workspace.withVault(owner: sourceLocation.fileID)
    try workspace.write(module, to: "web.py")
    try workspace.write("from web import *\n" + script, to: "script.py")
    let outcome = try workspace.shell(
      "export AGONYFS_WEB='\(program ?? "")' XDG_RUNTIME_DIR=$W PYTHONDONTWRITEBYTECODE=1; chmod 700 .; python3 script.py"
    )
    #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
  }

  /// The same for a script that tries to leave a space: `one` and `other` are logged in to two, at `first` and
  /// `second`. There are secrets in the second one and beside the vault, of which `tells_a_secret(HEADERS, BODY)` looks
  /// for any in an answer; and what is outside of the first space was `before`, and is `outside()`.
  static func expectSuccessInTwoSpaces(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectSuccess(twoSpaces + script, sourceLocation: sourceLocation)
  }

  private static let twoSpaces = #"""
    add_space()
    server = Server()
    one, other = server.browser(), server.browser()
    assert one.login() == 204
    first = mounts()[0]
    assert other.login(OTHER) == 204
    one.keeps = True
    second = [place for place in mounts() if place != first][0]
    secrets = [b"the-secret-of-the-other", b"the-secret-of-the-host", b"root:x:0"]
    os.mkdir(second + "/Hidden")
    open(second + "/Hidden/the-secret-of-the-other.jpg", "wb").write(secrets[0])
    open("the-secret-of-the-host.jpg", "wb").write(secrets[1])
    def tells_a_secret(headers, body):
        return any(secret in body + str(headers).encode() for secret in secrets)
    def outside():
        return sorted(os.walk(second)), sorted(name for name in os.listdir(".") if not name.startswith("server"))
    before = outside()

    """#

  private static let module = #"""
    import atexit, base64, http.client, json, os, re, signal, socket, ssl, struct, subprocess, threading, time, zlib
    from urllib.parse import quote, unquote

    ONE, OTHER = "correct horse battery staple", "another space"
    servers = []

    def wait_for(event, condition, seconds=600):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"{seconds} s passed before {event}"
            time.sleep(0.05)

    # The side of a square picture that is three times as large as what the kernel takes for a reader who reads nothing.
    UNREAD = max(2000, int(int(open("/proc/sys/net/ipv4/tcp_wmem").read().split()[2]) ** 0.5))

    # A key that is known is not derived again (Tests/DerivationCache).
    ENVIRONMENT = {**os.environ, "LD_PRELOAD": os.environ["DERIVATIONS"]}

    def agonyfs(*words, text=""):
        return subprocess.run(
            [os.environ["AGONYFS"], *words], input=text, text=True, capture_output=True, env=ENVIRONMENT)

    def add_space():
        added = agonyfs("space", "add", "--cover", "0", "Vault", text=OTHER + "\n")
        assert added.returncode == 0, added

    def daemons():
        "The processes that serve what the server has mounted."
        found = subprocess.run(["pgrep", "-f", f"mount .*{os.getcwd()}/agonyfs-web"], capture_output=True).stdout
        return [int(number) for number in found.split()]

    def coded(path):
        "A path or a name as the server has it in addresses."
        return base64.urlsafe_b64encode(path if isinstance(path, bytes) else path.encode()).decode().rstrip("=")

    def mounts(below="agonyfs-web."):
        with open("/proc/mounts", errors="surrogateescape") as table:
            return [line.split()[1] for line in table if f" {os.getcwd()}/{below}" in line]

    def free_port():
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    class Server:
        def __init__(self, place="Vault", *words, program=None):
            self.port = free_port()
            command = [os.environ["AGONYFS"], "serve", *words, place, "--listen", "127.0.0.1", "--port", str(self.port)]
            environment = dict(ENVIRONMENT)
            if program:
                with open("stand-in", "w") as file: file.write("#!/bin/sh\n" + program + "\n")
                os.chmod("stand-in", 0o700)
                environment["AGONYFS_PROGRAM"] = os.path.abspath("stand-in")
                given = ["--mount", os.path.abspath(place)] if place != "Vault" else []
                command = [os.environ["AGONYFS_WEB"], "--vault", os.path.abspath("Vault"), *given, "--idle", "600",
                           "--listen", "127.0.0.1", "--port", str(self.port), *words]
            self.output = open(f"server-{len(servers)}", "w+")
            # A session of its own, so that what is sent to it goes to nobody else.
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output, env=environment,
                start_new_session=True)
            servers.append(self)
            self.codes = 0
            self.code = self.next_code()

        def text(self):
            return open(self.output.name).read()

        def next_code(self):
            def found(): return re.findall(r"^https?://[^/]*/(\w+)#(\w+)$", self.text(), re.M)
            wait_for("the code", lambda: len(found()) > self.codes or self.process.poll() is not None)
            assert self.process.poll() is None, self.text()
            self.codes = len(found())
            return found()[-1]

        def browser(self, address="127.0.0.1"):
            if self.code is None:
                self.process.send_signal(signal.SIGUSR1)
                self.code = self.next_code()
            (path, secret), self.code = self.code, None
            browser = Browser(self, address)
            assert browser.ask("GET", "/" + path)[0] == 200
            assert browser.ask("POST", "/pair", secret)[0] == 204
            return browser

        def end(self, number=signal.SIGTERM):
            self.process.send_signal(number)
            return self.process.wait(600)

        def held(self, connection):
            "Bytes that the kernel holds at this end of a connection; None if it is closed here."
            far = connection.sock.getsockname()[1]
            for line in open("/proc/net/tcp").readlines()[1:]:
                near, other, state, queues = line.split()[1:5]
                if (int(near[9:], 16), int(other[9:], 16), state) == (self.port, far, "01"): return int(queues[:8], 16)

    def connected(address, timeout, source):
        "A connection whose reader's kernel takes little: otherwise it may take as much as tcp_rmem allows."
        end = socket.socket()
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        end.settimeout(timeout)
        end.bind(source)
        end.connect(address)
        return end

    class Browser:
        def __init__(self, server, address="127.0.0.1"):
            self.server, self.address, self.cookies = server, address, {}
            # Where there are many requests: one connection for all, opened anew when the server has closed it.
            self.keeps, self.kept = False, None

        def connection(self):
            context = ssl._create_unverified_context()
            connection = http.client.HTTPSConnection(
                "127.0.0.1", self.server.port, context=context, timeout=600, source_address=(self.address, 0))
            connection._create_connection = connected
            return connection

        def opened(self, text=b"", address=None):
            "A connection, or one from another address of this machine, by which something was sent as it is."
            connection = self.connection()
            if address: connection.source_address = (address, 0)
            connection.connect()
            # Else the kernel receives megabytes that nobody reads.
            connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
            connection.sock.sendall(text if isinstance(text, bytes) else text.encode())
            return connection

        def fields(self):
            "What the page sends with each request."
            fields = f"Host: 127.0.0.1:{self.server.port}\r\nX-Agonyfs: 1\r\nSec-Fetch-Site: same-origin\r\n"
            return fields + "Cookie: " + "; ".join(f"{k}={v}" for k, v in self.cookies.items()) + "\r\n"

        def sent(self, request):
            "The status of a request that is sent as it is; 0 if the connection is closed without an answer."
            connection = self.opened(request.replace(b"FIELDS\r\n", self.fields().encode()))
            whole = b""
            try:
                while b"\r\n\r\n" not in whole:
                    part = connection.sock.recv(65536)
                    if not part: break
                    whole += part
            except ConnectionError: pass
            connection.close()
            return int(whole.split()[1]) if whole.startswith(b"HTTP/1.1 ") else 0

        def ask(self, method, path, body=None, headers={}):
            origin = f"https://127.0.0.1:{self.server.port}"
            fields = {} if method in ("GET", "HEAD") else {"X-Agonyfs": "1", "Origin": origin}
            if self.cookies: fields["Cookie"] = "; ".join(f"{k}={v}" for k, v in self.cookies.items())
            fields.update(headers)
            fields = {k: v for k, v in fields.items() if v is not None}
            kept, self.kept = self.kept, None
            connection = kept or self.connection()
            try:
                connection.request(method, path, body, fields)
                answer = connection.getresponse()
            except ConnectionError:
                if not kept: raise
                connection.close()
                connection = self.connection()
                connection.request(method, path, body, fields)
                answer = connection.getresponse()
            content = answer.read()
            for text in answer.headers.get_all("Set-Cookie") or []:
                name, value = text.split(";")[0].split("=", 1)
                assert all(word in text for word in ("Path=/", "Secure", "HttpOnly", "SameSite=Strict")), text
                self.cookies[name] = value
            if self.keeps and not answer.will_close: self.kept = connection
            else: connection.close()
            return answer.status, answer.headers, content

        def login(self, password=ONE):
            return self.ask("POST", "/login", password)[0]

        def lock(self):
            return self.ask("POST", "/lock")[0]

    def logged_in(*words):
        "A server, and a browser that is logged in."
        server = Server(*words)
        browser = server.browser()
        assert browser.login() == 204
        return server, browser

    def with_picture(browser, pixels):
        "Puts a square picture of noise into the space. Returns a snapshot that has it alone; the browser knows its bytes."
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        rows = b"".join(b"\0" + os.urandom(3 * pixels) for _ in range(pixels))
        browser.picture = (
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", pixels, pixels, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))
        open(mounts()[0] + "/noise.png", "wb").write(browser.picture)
        def answer(): return json.loads(browser.ask("GET", "/api/sections")[2])
        wait_for("the catalog", lambda: answer()["count"] == 1)
        return answer()["snapshot"]

    def clean():
        for server in servers:
            if server.process.poll() is None: server.end()

    atexit.register(clean)

    """#
}
