"""A vault with two spaces, photos that can be told from all others, and the true server in front of it."""

import contextlib
import fcntl
import io
import json
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

from PIL import Image

import page_photos
from page_photos import ffmpeg, motion_photo, noise

WEB = os.environ.get("AGONYFS_TEST_WEB")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# Seconds after which something hangs: how fast anything is is not tested here.
LIMIT = 300
ONE, OTHER = "correct horse battery staple", "another space"
# No encoder changes it, and nothing else has a block of it.
COLOUR = (183, 41, 97)
# A key that is known is not derived again (Tests/DerivationCache).
CACHE = os.path.realpath(os.environ.get("AGONYFS_TEST_BUILT", f"{ROOT}/.build/debug") + "/libderivation-cache.so")
ENVIRONMENT = {**os.environ, **({"LD_PRELOAD": CACHE} if os.path.exists(CACHE) else {})}


def program():
    """The agonyfs that is tested."""
    builds = (os.environ.get("AGONYFS_TEST_PROGRAM", ""), f"{ROOT}/.build/release/agonyfs", f"{ROOT}/.build/debug/agonyfs")
    return next(os.path.abspath(build) for build in builds if os.access(build, os.X_OK))


def raw_photo(picture, path):
    """Makes a raw photo of Canon (CR2): a TIFF whose first directory has a JPEG."""
    jpeg = io.BytesIO()
    picture.save(jpeg, "JPEG", quality=90)
    content, maker = jpeg.getvalue(), b"Canon\0"
    short, long, text = 3, 4, 2
    entries = [(256, long, 1, picture.width), (257, long, 1, picture.height), (259, short, 1, 6), (271, text, len(maker), 0),
               (273, long, 1, 0), (279, long, 1, len(content))]
    behind = 16 + 2 + 12 * len(entries) + 4
    places = {271: behind, 273: behind + len(maker)}
    directory = b"".join(struct.pack("<HHII", tag, kind, count, places.get(tag, value))
                         for tag, kind, count, value in entries)
    with open(path, "wb") as file:
        file.write(b"II*\0" + struct.pack("<I", 16) + b"CR\2\0" + bytes(4) + struct.pack("<H", len(entries)) + directory
                   + bytes(4) + maker + content)


def make_photos(folder):
    """Albums, photos, a video and a motion photo, whose names are in no other file."""
    os.makedirs(f"{folder}/Zanzibar-Quokka")
    exif = Image.Exif()
    for number in range(24):
        exif[0x0132] = f"2024:{number % 12 + 1:02}:15 12:00:00"
        exif.get_ifd(0x8769)[0x9003] = exif[0x0132]
        album = "Zanzibar-Quokka/" if number % 2 else ""
        size = (1600, 1200) if number % 3 else (1200, 1600)
        noise(*size, number).save(f"{folder}/{album}quokka-{number:02}.jpg", quality=80, exif=exif)
    Image.new("RGB", (1400, 900), COLOUR).save(f"{folder}/quokka-plain.png")
    ffmpeg("-f", "lavfi", "-i", "testsrc=size=640x360:rate=25:duration=12", "-c:v", "libx264", "-pix_fmt", "yuv420p",
           "-g", "25", "-movflags", "+faststart", f"{folder}/quokka-video.mp4")
    clip = f"{folder}/clip.mp4"
    ffmpeg("-f", "lavfi", "-i", "testsrc=size=320x240:rate=25:duration=2", "-c:v", "libx264", "-pix_fmt", "yuv420p", clip)
    motion_photo(noise(1200, 900, 99), clip, f"{folder}/quokka-motion.jpg")
    os.unlink(clip)


class Vault:
    """Two spaces that have nothing, and a folder for what belongs to them."""

    def __init__(self, folder, *words, path=None, like=None):
        """A new vault, or a copy of one that is not mounted."""
        self.folder, self.path, self.runtime = folder, path or f"{folder}/Vault", f"{folder}/run"
        os.mkdir(self.runtime, 0o700)
        if like:
            subprocess.run(["cp", "-a", like, self.path], check=True)
            return
        words = ("--kdf", "interactive", "--cover", "0", "--password-file", "/dev/stdin", *words)
        self.agonyfs("create", *words, self.path, text=ONE)
        self.agonyfs("space", "add", "--cover", "0", self.path, text=OTHER)

    def agonyfs(self, *words, text=""):
        done = subprocess.run(
            [program(), *words], input=text + "\n", text=True, capture_output=True, check=False, env=ENVIRONMENT)
        assert done.returncode == 0, done

    def fill(self, password, photos):
        with self.mounted(password) as place:
            subprocess.run(["cp", "-a", f"{photos}/.", place], check=True)
            self.agonyfs("thumbnails", place)

    @contextlib.contextmanager
    def mounted(self, password):
        place = f"{self.folder}/Albums"
        os.makedirs(place, exist_ok=True)
        self.agonyfs("mount", "--password-file", "/dev/stdin", self.path, place, text=password)
        try:
            yield place
        finally:
            self.agonyfs("unmount", place)

    def mounts(self):
        """Where the server has spaces."""
        with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as file:
            return [line.split()[1] for line in file if line.split()[1].startswith(self.runtime)]


class PhotoVault(Vault):
    """The first space has photos, the other has one."""

    def __init__(self, folder):
        super().__init__(folder)
        self.photos = f"{folder}/photos"
        make_photos(self.photos)
        self.fill(ONE, self.photos)
        os.mkdir(f"{folder}/other")
        noise(800, 600, 1000).save(f"{folder}/other/wombat.jpg")
        self.fill(OTHER, f"{folder}/other")


def page_vault(folder):
    """A vault whose first space has what the tests of the page show (page_photos.py).

    One is made for all processes of a run, beside the keys that they share (Tests/DerivationCache); each has a copy.
    """
    known = os.environ.get("AGONYFS_TEST_DERIVATIONS")
    if not known:
        vault = Vault(folder)
        vault.fill(ONE, page_photos.make(f"{folder}/photos"))
        return vault
    made = f"{os.path.dirname(known)}/page"
    with open(f"{made}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(made):
            # One whose process was killed stays where it was begun, mounted perhaps, until scripts/test ends.
            begun = tempfile.mkdtemp(prefix="page-", dir=os.path.dirname(made))
            Vault(begun).fill(ONE, page_photos.make(f"{begun}/photos"))
            os.rename(begun, made)
    return Vault(folder, like=f"{made}/Vault")


class Server:
    """`agonyfs serve`; `address()` is one that pairs a browser, each time another.

    `mount` is shown in place of the vault. `before` are words before the command. With a terminal it is started in that one.
    `listen` are the words by which it is told where to listen.
    """

    def __init__(
        self, vault, *words, mount=None, before=(), terminal=None, listen=("--listen", "127.0.0.1")
    ):
        self.codes, self.terminal = 0, terminal
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.root = f"https://127.0.0.1:{self.port}"
        self.said = f"{vault.folder}/said"
        command = [program(), "serve", *listen, "--port", str(self.port), *words, mount or vault.path]
        environment = {**ENVIRONMENT, "AGONYFS_WEB": os.path.abspath(WEB), "XDG_RUNTIME_DIR": vault.runtime}
        if terminal:
            side = terminal.side
            self.process = subprocess.Popen(
                ["setsid", "--ctty", *before, *command], stdin=side, stdout=side, stderr=side, env=environment)
            return
        with open(self.said, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen([*before, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                            start_new_session=True, env=environment)

    def text(self):
        if self.terminal:
            return self.terminal.text()
        with open(self.said, encoding="utf-8") as file:
            return file.read()

    def address(self):
        if self.codes and self.terminal:
            self.terminal.type("\n")
        elif self.codes:
            self.process.send_signal(signal.SIGUSR1)
        end = time.monotonic() + LIMIT
        while True:
            found = re.findall(r"^(https://[^/]*/\w+#\w+)$", self.text(), re.M)
            if len(found) > self.codes:
                self.codes = len(found)
                return f"{self.root}/{found[-1].split('/', 3)[3]}"
            assert self.process.poll() is None and time.monotonic() < end, self.text()
            time.sleep(0.05)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(LIMIT)
        finally:
            self.process.kill()


class Relay:
    """Stands between browsers and a server, and cuts a connection when it was told to."""

    def __init__(self, port):
        self.left = None
        self.to = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()

    def cut(self, after):
        """Cuts the connection by which the last of so many bytes goes to the server."""
        self.left = after

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                browser, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.to))
                for pair in ((browser, server, True), (server, browser, False)):
                    threading.Thread(target=self.carry, args=pair, daemon=True).start()

    def carry(self, source, target, is_to_server):
        with contextlib.suppress(OSError):
            while content := source.recv(1 << 16):
                if is_to_server and self.left is not None:
                    self.left -= len(content)
                    if self.left <= 0:
                        self.left = None
                        break
                target.sendall(content)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.accepting.join()
        self.listener.close()


@contextlib.contextmanager
def server():
    """A vault and its server."""
    with tempfile.TemporaryDirectory(prefix="agonyfs-test-web-") as folder:
        vault = PhotoVault(folder)
        serving = Server(vault)
        try:
            yield vault, serving
        finally:
            serving.end()


# How files with the private key of a certificate begin: as text, in PKCS #8 and by SEC 1 (RFC 5208, RFC 5915).
PRIVATE_KEYS = [b"PRIVATE KEY", bytes.fromhex("020100301306072a8648ce3d020106082a8648ce3d030107"),
                bytes.fromhex("30770201010420")]


def found_below(folder, *needles):
    """Which of these bytes are in the files below a folder, in their names, and in what is compressed there as a whole."""
    found = set()
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            try:
                with open(path, "rb") as file:
                    content = file.read()
            except OSError:
                continue  # sockets, and what went meanwhile
            content += path.encode() + content.replace(b"\0", b"")
            found |= {(needle, os.path.relpath(path, folder)) for needle in needles if needle in content}
    return found


def marks(path):
    """Bytes of the middle of a file that are in no other."""
    with open(path, "rb") as file:
        content = file.read()
    return [content[len(content) * part // 5:][:48] for part in (1, 2, 3, 4)]


def plain_pixels():
    """The one colour as a browser has it in memory, in both orders."""
    red, green, blue = COLOUR
    return [bytes((red, green, blue, 255)) * 24, bytes((blue, green, red, 255)) * 24, bytes(COLOUR) * 24]


def choose(page, paths, way="Original files"):
    """Has a page send what is chosen, as it is or in another way."""
    page.click(".entry.send")
    with page.expect_file_chooser() as chooser:
        page.click(f"dialog .choice >> text={way}")
    chooser.value.set_files(paths)


def json_of(page, path):
    """What the server says to the page."""
    return json.loads(page.evaluate("path => fetch(path).then(answer => answer.text())", path))
