#!/usr/bin/env python3
"""stand_in_server.py [--count N] [--photos FOLDER] [--port N]: answers the page as agonyfs-web does, without a vault.

The page is developed and measured with it. Headers are those of the true server, so what they forbid is forbidden here.
The password is `photos`. `POST /test` with {"full": N} says how many ends of uploads cannot be written.
"""

import argparse
import asyncio
import datetime
import os
import secrets
import ssl
import subprocess
import tempfile

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from stand_in_gallery import Gallery, problem
from stand_in_library import Library
from stand_in_upload import Uploads

PAGE = os.path.join(os.path.dirname(__file__), "../../Sources/agonyfs-web/Page")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types agonyfs-worker",
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin"}
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


class Server:
    def __init__(self, library, folder):
        self.uploads = Uploads(folder)
        self.gallery = Gallery(library, self.video(folder))
        self.sessions, self.pairings = set(), set()
        self.path, self.secret = secrets.token_hex(16), secrets.token_hex(16)

    @staticmethod
    def video(folder):
        path = os.path.join(folder, "video.mp4")
        source = "testsrc=size=640x360:rate=25:duration=12"
        made = subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", source, "-c:v", "libx264",
                               "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-y", path],
                              check=False)
        if made.returncode:
            open(path, "wb").close()
        return path

    def application(self):
        app = web.Application(middlewares=[self.guard], client_max_size=64 << 20)
        app.on_response_prepare.append(self.close)
        app.add_routes([
            web.get("/", self.page), web.get("/assets/{name}", self.asset), web.post("/pair", self.pair),
            web.get("/" + self.path, self.pairing),
            web.post("/login", self.login), web.post("/lock", self.lock), web.get("/api/state", self.state),
            web.post("/test", self.test)])
        app.add_routes(self.gallery.routes() + self.uploads.routes())
        return app

    @web.middleware
    async def guard(self, request, handler):
        paired = request.cookies.get("__Host-pairing") in self.pairings
        open_to_all = request.path in ("/pair", "/" + self.path, "/test")
        if not paired and not open_to_all:
            response = web.Response(status=404)
        elif request.method not in ("GET", "HEAD") and request.path != "/test" and request.headers.get("X-Agonyfs") != "1":
            response = web.json_response({"error": "origin", "detail": ""}, status=403)
        elif request.path.startswith("/api/") and request.path != "/api/state" and not self.open(request):
            response = web.json_response({"error": "locked", "detail": "The space is locked."}, status=401)
        else:
            try:
                response = await handler(request)
            except web.HTTPException as thrown:
                response = thrown
            except ConnectionResetError:
                response = web.Response()  # nobody reads it
        return response

    async def close(self, request, response):
        """Adds the headers that every answer has."""
        if request.cookies.get("__Host-pairing") not in self.pairings:
            return
        response.headers.update(HEADERS)
        if "Content-Disposition" in response.headers:
            response.headers["Content-Security-Policy"] = "sandbox; " + HEADERS["Content-Security-Policy"]
        if request.path.startswith("/api/upload"):
            response.headers["Tus-Resumable"] = "1.0.0"

    def open(self, request):
        return request.cookies.get("__Host-session") in self.sessions

    async def page(self, request):
        return self.file("index.html")

    async def asset(self, request):
        return self.file(request.match_info["name"])

    async def pairing(self, request):
        return self.file(request.query_string or "pairing.html")

    def file(self, name):
        ending = os.path.splitext(name)[1]
        path = os.path.join(PAGE, os.path.basename(name))
        if ending not in TYPES or not os.path.exists(path):
            return problem(404, "not-found", "")
        with open(path, "rb") as file:
            return web.Response(body=file.read(), content_type=TYPES[ending], charset="utf-8")

    def with_cookie(self, name, tokens):
        token = secrets.token_hex(16)
        tokens.add(token)
        response = web.Response(status=204)
        response.set_cookie(name, token, secure=True, httponly=True, samesite="Strict", path="/")
        return response

    async def pair(self, request):
        if await request.text() != self.secret:
            return web.Response(status=404)
        return self.with_cookie("__Host-pairing", self.pairings)

    async def login(self, request):
        if await request.read() != b"photos":
            await asyncio.sleep(0.3)
            return web.json_response({"error": "wrong-password", "detail": ""}, status=403)
        return self.with_cookie("__Host-session", self.sessions)

    async def lock(self, request):
        self.sessions.discard(request.cookies.get("__Host-session"))
        response = web.Response(status=204, headers={"Clear-Site-Data": '"cache", "storage"'})
        response.del_cookie("__Host-session", path="/", secure=True)
        return response

    async def state(self, request):
        return web.json_response({"locked": not self.open(request), "readOnly": False, "idleSeconds": 600, "downloads": 0})

    async def test(self, request):
        self.uploads.full = (await request.json())["full"]
        return web.Response(status=204)


def certificate(folder):
    """A certificate that no browser knows, as the true server's is at first."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=30)).sign(key, hashes.SHA256()))
    path = os.path.join(folder, "certificate.pem")
    with open(path, "wb") as file:
        file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                     serialization.NoEncryption()) + made.public_bytes(serialization.Encoding.PEM))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path)
    return context


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--photos")
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Library(arguments.count, arguments.photos), folder)
        address = f"https://localhost:{arguments.port}/{server.path}#{server.secret}"
        # It is said when there is somebody who answers.
        web.run_app(server.application(), host="127.0.0.1", port=arguments.port, ssl_context=certificate(folder),
                    print=lambda _: print(address, flush=True))


if __name__ == "__main__":
    main()
