#!/usr/bin/env python3
"""Measures agonyfs serve beside copyparty, plain and on a gocryptfs mount, and beside nginx with TLS on its own mount."""

import argparse
import base64
import os
import random
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import report
from materials import noise_picture
from systems import PASSWORD, System, run
from turns import forget
from web_clients import crowd, upload_all
from web_servers import Copyparty, Nginx, Serve, filled_vault

MIB = 1 << 20
# The ratios of medians that are printed: the first is divided by the second.
RATIOS = [
    ("upload, serve, verified, MiB/s", "upload, copyparty on gocryptfs, MiB/s"),
    ("upload, serve, verified, MiB/s", "upload, copyparty on gocryptfs, with its client, MiB/s"),
    ("download, serve, MiB/s", "download, nginx with TLS, MiB/s"),
    ("download, serve, MiB/s", "download, copyparty on gocryptfs, MiB/s"),
]


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/bench --web", description=__doc__,
        epilog="copyparty speaks plain HTTP here, and writes nothing to the disk at once. Only ratios within one run mean "
        "something.")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds (default: 5)")
    parser.add_argument("--photos", type=int, default=2000, help="photos in the vault (default: 2000)")
    parser.add_argument("--width", type=int, default=1024, help="their width in pixels; small ones are filled in sooner "
                        "(default: 1024)")
    parser.add_argument("--files", type=int, default=60, help="uploaded files of 3 MB (default: 60)")
    parser.add_argument("--size", type=int, default=256, help="MiB of the downloaded file (default: 256)")
    parser.add_argument("--clients", type=int, default=50, help="clients at once (default: 50)")
    parser.add_argument("--kdf", default="interactive", help="work of a password (default: interactive)")
    parser.add_argument("--folder", help="working folder (default: a new temporary one)")
    parser.add_argument("--json", help="also write all results to this file")
    parser.add_argument("--no-browser", action="store_true", help="leave out what is measured in Chromium")
    parser.add_argument("--agonyfs", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--web", required=True, metavar="PROGRAM", help=argparse.SUPPRESS)
    parser.set_defaults(floor=None, before=None)
    return parser.parse_args()


def make_pictures(folder, count, width):
    """Makes photos of 4:3 (0.2 MB each at 1024 pixels) that all differ, dated over ten years; returns their common
    beginning."""
    os.makedirs(folder)
    picture = noise_picture(folder, width, width * 3 // 4)
    for number in range(count):
        # Bytes after the end of the picture make each file different.
        path = f"{folder}/IMG_{number:06}.jpg"
        with open(path, "wb") as file:
            file.write(picture + number.to_bytes(8, "big"))
        os.utime(path, (1.4e9 + number * 3.15e8 / count,) * 2)
    return picture


def make_video(path, megabytes):
    """Makes a video of a second, followed by a box of noise."""
    subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=640x360:duration=1", "-pix_fmt",
                    "yuv420p", "-movflags", "+faststart", path], check=True, stdin=subprocess.DEVNULL)
    with open(path, "ab") as file:
        file.write(struct.pack(">I4s", 8 + megabytes * MIB, b"free"))
        for _ in range(megabytes):
            file.write(random.randbytes(MIB))


def curl(address, *words):
    """The speed of a download in MiB/s."""
    done = subprocess.run(["curl", "-k", "-s", "-f", "-o", "/dev/null", "-w", "%{speed_download}", *words, address],
                          stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout) / MIB


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.results = options, folder, {}
        self.servers, self.problems = [], []

    def add(self, name, value):
        self.results.setdefault(name, []).append(value)

    def start(self):
        big = f"{self.folder}/big.mp4"
        make_video(big, self.options.size)
        self.picture = make_pictures(f"{self.folder}/pictures", self.options.photos, self.options.width)
        self.say("filling the vault")
        self.vault = filled_vault(self.folder, self.options, f"{self.folder}/pictures", big)
        self.gocryptfs = System("gocryptfs", self.folder, self.options)
        self.gocryptfs.create()
        self.gocryptfs.mount()
        self.plain = f"{self.folder}/plain"
        os.mkdir(self.plain)
        for place in (self.plain, self.gocryptfs.path):
            shutil.copy(big, f"{place}/big.mp4")
        self.serve = Serve(self.folder, self.options.agonyfs, self.options.web, self.vault.store)
        self.copyparty = Copyparty("copyparty", self.folder, self.plain)
        self.encrypted = Copyparty("copyparty-gocryptfs", self.folder, self.gocryptfs.path)
        self.servers += [self.serve, self.copyparty, self.encrypted]
        self.browser = self.serve.browser()

    def end(self):
        for server in self.servers:
            server.end()
        for system in ("vault", "gocryptfs"):
            if hasattr(self, system):
                getattr(self, system).delete()

    @staticmethod
    def say(text):
        print(text, file=sys.stderr, flush=True)

    @staticmethod
    def album(browser, name):
        """A snapshot of an album, after loading its geometry, and its number of photos."""
        path = base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")
        answer = browser.json("GET", f"/api/sections?group=month&sort=time&album={path}")
        status, _, geometry = browser.ask("GET", f"/api/geometry/{answer['snapshot']}")
        assert status == 200 and len(geometry) == 8 * answer["count"]
        return answer["snapshot"], answer["count"]

    def login(self):
        """Measures the milliseconds from the password to sixty thumbnails, without deriving the key."""
        work = self.vault.password_seconds()
        forget()
        begun = time.perf_counter()
        self.browser.login(PASSWORD)
        snapshot, count = self.album(self.browser, "Photos")
        self.browser.thumbnails(snapshot, range(min(24, count)))
        self.browser.thumbnails(snapshot, range(min(24, count), min(60, count)))
        self.add("login to 60 thumbnails, ms", 1000 * (time.perf_counter() - begun - work))
        for _ in range(10):
            first = random.randrange(max(1, count - 60))
            begun = time.perf_counter()
            self.browser.thumbnails(snapshot, range(first, min(count, first + 60)))
            self.add("60 thumbnails elsewhere, ms", 1000 * (time.perf_counter() - begun))

    def round(self, number):
        self.login()
        noise = 3_000_000 - len(self.picture)
        files = {f"round{number}-{each}.jpg": self.picture + random.randbytes(noise) for each in range(self.options.files)}
        total = self.options.files * 3_000_000 / MIB
        ways = [("serve, verified", self.browser), ("copyparty", self.copyparty.client()),
                ("copyparty on gocryptfs", self.encrypted.client())]
        for name, client in ways[:: -1 if number % 2 else 1]:
            self.add(f"upload, {name}, MiB/s", total / upload_all(client, files))
        self.upload_verified(files, total)
        snapshot, count = self.album(self.browser, "Video")
        assert count == 1
        path = f"/api/item/{snapshot}/0/original"
        # Makes the thumbnails of the uploaded files.
        run(self.options.agonyfs, "thumbnails", self.serve.mount())
        nginx = Nginx(self.folder, self.serve.mount())
        try:
            self.download(number, path, nginx)
        finally:
            nginx.end()
        forget()
        for _ in range(20):
            start = random.randrange(self.options.size - 1) * MIB
            self.add("first byte of a video seek, ms", self.browser.first_byte(path, start))
        # The next login has to mount again.
        self.browser.ask("POST", "/lock")

    def download(self, number, path, nginx):
        ways = [
            ("serve", f"https://127.0.0.1:{self.serve.port}{path}", "-H", f"Cookie: {self.browser.cookie()}"),
            ("nginx with TLS", f"https://127.0.0.1:{nginx.port}/Video/big.mp4"),
            ("copyparty", f"http://127.0.0.1:{self.copyparty.port}/big.mp4"),
            ("copyparty on gocryptfs", f"http://127.0.0.1:{self.encrypted.port}/big.mp4")]
        for name, *words in ways[:: -1 if number % 2 else 1]:
            forget()
            self.add(f"download, {name}, MiB/s", curl(*words))

    def upload_verified(self, files, total):
        """Measures copyparty's own client, which reads files and lets the server compare hashes."""
        source = tempfile.mkdtemp(prefix="agonyfs-bench-", dir="/dev/shm")
        try:
            paths = []
            for name, content in files.items():
                paths.append(f"{source}/v-{name}")
                with open(paths[-1], "wb") as file:
                    file.write(content)
            for name, server in (("copyparty", self.copyparty), ("copyparty on gocryptfs", self.encrypted)):
                begun = time.perf_counter()
                server.upload_verified(paths)
                self.add(f"upload, {name}, with its client, MiB/s", total / (time.perf_counter() - begun))
        finally:
            shutil.rmtree(source)

    def crowd(self):
        """Measures many clients, each with its own pairing, address and session."""
        browsers = [self.serve.browser(f"127.0.1.{number + 1}") for number in range(self.options.clients)]
        for browser in browsers:
            browser.login(PASSWORD)
        found = [self.album(browser, "Photos") for browser in browsers]
        times, problems = crowd(browsers, [snapshot for snapshot, _ in found], found[0][1])
        self.results["24 thumbnails for each of many clients, ms"] = times
        self.problems += problems
        for browser in browsers:
            browser.ask("POST", "/lock")

    def run(self):
        self.start()
        for number in range(self.options.rounds):
            self.say(f"round {number + 1} of {self.options.rounds}")
            self.round(number)
        self.say(f"{self.options.clients} clients")
        self.crowd()
        for server in self.servers:
            self.add(f"most memory of {server.name}, MiB", server.most_memory())

    def chromium(self):
        """Runs Tests/Web/measure.py on the page of this server."""
        path, secret = self.serve.code()
        tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Web")
        subprocess.run(
            [sys.executable, f"{tests}/measure.py", str(self.options.photos)], check=False,
            env={**os.environ, "AGONYFS_WEB": f"https://127.0.0.1:{self.serve.port}/{path}#{secret}",
                 "AGONYFS_WEB_PASSWORD": PASSWORD, "PYTHONDONTWRITEBYTECODE": "1"})


def show(bench):
    """Prints medians with the minimum and the maximum, and the 99th percentile of 100 values or more."""
    medians = {name: statistics.median(values) for name, values in bench.results.items()}
    width = max(map(len, medians), default=0) + 2
    for name, values in bench.results.items():
        ordered = sorted(values)
        late = f", p99 {ordered[len(ordered) * 99 // 100]:.1f}" if len(ordered) >= 100 else ""
        print(f"{name:<{width}}{medians[name]:9.1f}  ({ordered[0]:.1f} to {ordered[-1]:.1f}{late})")
    print(f"errors of {bench.options.clients} clients: {len(bench.problems)} {bench.problems[:3] or ''}")
    for one, other in RATIOS:
        if not {one, other} <= medians.keys():
            continue
        print(f"{one.rpartition(',')[0]} ÷ {other.rpartition(',')[0]}: {medians[one] / medians[other]:.2f}")


def main():
    options = arguments()
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    folder = tempfile.mkdtemp(prefix="agonyfs-bench-", dir=options.folder)
    bench = Bench(options, folder)
    try:
        try:
            bench.run()
        finally:
            show(bench)
        if not options.no_browser:
            bench.chromium()
    finally:
        bench.end()
        shutil.rmtree(folder, ignore_errors=True)
    facts = report.machine(options)
    report.show(facts, options.rounds, bench.results, options.json)


main()
