#!/usr/bin/env python3
"""An object store on the loopback interface for tests: the part of S3 that agonyfs uses, with faults on demand.

    object_server.py [CERTIFICATE KEY]

Prints its port, and then obeys lines of standard input, each answered by a line; it ends with its input.

    fault NAME COUNT     the next COUNT requests that it concerns have this fault (see FAULTS)
    set NAME VALUE       a setting (see Store)
    count METHOD         how many requests of the method came
    object NAME          the bytes of an object in hexadecimal digits, or "none"

It checks signatures by itself, and shares no code with the client.
"""

import base64
import datetime
import hashlib
import hmac
import http.server
import socket
import ssl
import sys
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

ACCESS, SECRET, BUCKET = "AKIATEST", "test/secret+key", "photos"
# Each fault and the methods that it concerns.
FAULTS = {
    "busy": "GET HEAD PUT DELETE", "error500": "GET HEAD PUT DELETE", "conflict": "PUT", "drop": "GET HEAD PUT DELETE",
    "lose": "GET HEAD PUT DELETE", "double": "GET HEAD PUT DELETE", "cut": "GET", "short-range": "GET", "flip": "GET",
    "slow": "GET", "stall": "GET", "redirect": "GET HEAD PUT DELETE", "html": "GET PUT", "error200": "PUT",
    "garbage": "GET PUT", "keep-other": "PUT", "other-tag": "PUT HEAD", "bad-list": "GET", "entities": "GET",
    "no-identifier": "GET HEAD PUT DELETE", "proxy404": "GET PUT", "drip": "GET",
    "early": "PUT",
}


class Refused(Exception):
    """An error reply of S3."""

    def __init__(self, status, code, extra=""):
        self.status, self.code, self.extra = status, code, extra


class Store:
    """All objects, faults and settings."""

    def __init__(self):
        self.lock = threading.Lock()
        self.objects = {}
        # The objects before the last change.
        self.earlier = {}
        self.faults = {}
        self.counts = {}
        self.requests = 0
        # Seconds that the clock is ahead, the region, the action that is not permitted, bytes, objects in a list.
        self.settings = {"clock": "0", "region": "us-east-1", "deny": "", "quota": str(1 << 40), "page": "1000"}
        # Hashes that are not checked (md5, sha256, both); ranges: as asked for, whole or other; what shows the objects
        # before the last change (list, get); the status of versions and the mode of the lock, or the status of the
        # reply to those who ask.
        self.settings |= {"unchecked": "", "ranges": "", "late": "", "versioning": "", "lock": ""}
        # What happens to an object with a wrong hash: it is refused as such, or with status 500 (500), or that is the
        # answer after it was stored (stored).
        self.settings["mismatch"] = ""

    def takes_fault(self, name, method):
        with self.lock:
            if self.faults.get(name, 0) <= 0 or method not in FAULTS[name].split():
                return False
            self.faults[name] -= 1
            return True

    def now(self):
        return time.time() + int(self.settings["clock"])


def signature(secret, method, path, query, headers, names, digest, date, scope):
    pairs = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
    canonical_query = "&".join(
        f"{urllib.parse.quote(name, safe='-._~')}={urllib.parse.quote(value, safe='-._~')}" for name, value in pairs)
    canonical_path = urllib.parse.quote(urllib.parse.unquote(path), safe="/-._~")
    lines = "".join(f"{name}:{' '.join(headers.get(name, '').split())}\n" for name in names)
    canonical = "\n".join([method, canonical_path, canonical_query, lines, ";".join(names), digest])
    text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        store = self.server.store
        count = int(self.headers.get("Content-Length") or 0)
        is_early = self.takes("early")
        body = b"" if is_early else self.rfile.read(count)
        with store.lock:
            store.counts[self.command] = store.counts.get(self.command, 0) + 1
            store.requests += 1
            self.identifier = f"request-{store.requests}"
        self.close_connection = False
        if is_early:
            self.reply(503, b"<Error><Code>SlowDown</Code></Error>")
            # A connection that is closed with unread bytes can lose the reply.
            self.rfile.read(count)
            return None
        if self.takes("drop"):
            return self.end()
        if self.takes("garbage"):
            self.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")
            return self.end()
        if self.takes("proxy404"):
            return self.reply(404, b"<html>no such page</html>")
        if self.takes("html"):
            return self.reply(200, b"<html>Welcome to the hotel</html>")
        if self.takes("redirect"):
            return self.reply(307, b"", {"Location": "http://127.0.0.2:9/photos/"})
        try:
            self.check(body)
            if self.takes("busy"):
                raise Refused(503, "SlowDown")
            if self.takes("error500"):
                raise Refused(500, "InternalError")
            if self.takes("conflict"):
                raise Refused(409, "ConditionalRequestConflict")
            status, content, headers = self.carry_out(body)
        except Refused as error:
            text = f"<Error><Code>{error.code}</Code><Message>no</Message>{error.extra}</Error>"
            status, content, headers = error.status, text.encode(), {}
        if self.takes("lose"):
            return self.end()
        self.reply(status, content, headers)

    do_HEAD = do_PUT = do_DELETE = do_GET

    def takes(self, fault):
        return self.server.store.takes_fault(fault, self.command)

    def end(self):
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def reply(self, status, content, headers=None):
        date = datetime.datetime.fromtimestamp(self.server.store.now(), datetime.timezone.utc)
        lines = {"Date": date.strftime("%a, %d %b %Y %H:%M:%S GMT"), "x-amz-request-id": self.identifier}
        if not (status == 204 or "Content-Length" in (headers or {})):
            lines["Content-Length"] = str(len(content))
        if self.takes("no-identifier"):
            del lines["x-amz-request-id"]
        lines.update(headers or {})
        is_object = self.command == "GET" and "ETag" in lines
        if is_object and self.takes("flip"):
            content = bytes([content[0] ^ 1]) + content[1:]
        if is_object and self.takes("short-range") and "Content-Range" in lines:
            first = int(lines["Content-Range"].split()[1].split("-")[0])
            total = lines["Content-Range"].rpartition("/")[2]
            content = content[:-1]
            lines["Content-Range"] = f"bytes {first}-{first + len(content) - 1}/{total}"
            lines["Content-Length"] = str(len(content))
        head = f"HTTP/1.1 {status} Text\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
        whole = head.encode() + (b"" if self.command == "HEAD" else content)
        if is_object and self.takes("cut"):
            self.wfile.write(whole[:len(whole) - len(content) + len(content) // 2])
            return self.end()
        if is_object and self.takes("stall"):
            self.wfile.write(whole[:len(whole) - len(content) // 2])
            time.sleep(30)
            return self.end()
        if is_object and self.takes("drip"):
            self.wfile.write(whole[:len(whole) - len(content)])
            for byte in content:
                self.wfile.write(bytes([byte]))
                time.sleep(0.2)
            return None
        if is_object and self.takes("slow"):
            step = max(1, len(whole) // 12)
            for start in range(0, len(whole), step):
                self.wfile.write(whole[start:start + step])
                time.sleep(0.4)
            return None
        self.wfile.write(whole * (2 if self.takes("double") else 1))
        return None

    # MARK: S3

    def check(self, body):
        store = self.server.store
        words = self.headers.get("Authorization", "")
        if not words.startswith("AWS4-HMAC-SHA256 "):
            raise Refused(403, "AccessDenied")
        parts = dict(word.strip().split("=", 1) for word in words.partition(" ")[2].split(","))
        access, _, scope = parts["Credential"].partition("/")
        if access != ACCESS:
            raise Refused(403, "InvalidAccessKeyId")
        date, names = self.headers["x-amz-date"], parts["SignedHeaders"].split(";")
        moment = datetime.datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        if abs(moment.timestamp() - store.now()) > 900:
            raise Refused(403, "RequestTimeTooSkewed")
        region = scope.split("/")[1]
        if region != store.settings["region"]:
            raise Refused(400, "AuthorizationHeaderMalformed", f"<Region>{store.settings['region']}</Region>")
        for name in self.headers:
            if name.lower().startswith("x-amz-") and name.lower() not in names:
                raise Refused(403, "AccessDenied")
        digest = self.headers["x-amz-content-sha256"]
        path, _, query = self.path.partition("?")
        lower = {name.lower(): value for name, value in self.headers.items()}
        wanted = signature(SECRET, self.command, path, query, lower, names, digest, date, scope)
        if wanted != parts["Signature"] or "host" not in names:
            raise Refused(403, "SignatureDoesNotMatch")
        unchecked = store.settings["unchecked"]
        if unchecked not in ("sha256", "both") and digest != hashlib.sha256(body).hexdigest():
            self.refuse_hash("XAmzContentSHA256Mismatch", body)
        md5 = self.headers.get("Content-MD5")
        if unchecked not in ("md5", "both") and md5 and md5 != base64.b64encode(hashlib.md5(body).digest()).decode():
            self.refuse_hash("BadDigest", body)

    def refuse_hash(self, code, body):
        mismatch = self.server.store.settings["mismatch"]
        if mismatch == "stored":
            self.carry_out(body)
        raise Refused(500, "InternalError") if mismatch else Refused(400, code)

    def carry_out(self, body):
        store = self.server.store
        path, _, query = self.path.partition("?")
        bucket, _, name = urllib.parse.unquote(path).lstrip("/").partition("/")
        if bucket != BUCKET:
            raise Refused(404, "NoSuchBucket")
        is_list = self.command == "GET" and not name
        if store.settings["deny"] == ("LIST" if is_list else self.command):
            raise Refused(403, "AccessDenied")
        with store.lock:
            if is_list:
                pairs = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
                if "versioning" in pairs or "object-lock" in pairs:
                    return self.setting("versioning" in pairs)
                return self.list(pairs)
            if self.command == "PUT":
                return self.put(name, body)
            if self.command == "DELETE":
                store.earlier = dict(store.objects)
                store.objects.pop(name, None)
                return 204, b"", {}
            objects = store.earlier if store.settings["late"] == "get" else store.objects
            if name not in objects:
                raise Refused(404, "NoSuchKey")
            content = objects[name]
            headers = {"ETag": self.tag(content)}
            if self.command == "HEAD":
                return 200, b"", {**headers, "Content-Length": str(len(content))}
            wanted = self.headers.get("Range")
            if not wanted or store.settings["ranges"] == "whole":
                return 200, content, headers
            first, last = (int(number) for number in wanted.partition("=")[2].split("-"))
            if first >= len(content):
                raise Refused(416, "InvalidRange")
            last = min(last, len(content) - 1)
            if store.settings["ranges"] == "other":
                first, last = 0, last - first
            return 206, content[first:last + 1], {**headers, "Content-Range": f"bytes {first}-{last}/{len(content)}"}

    def setting(self, asks_for_versions):
        """The reply to GET ?versioning and GET ?object-lock."""
        value = self.server.store.settings["versioning" if asks_for_versions else "lock"]
        codes = {"403": "AccessDenied", "405": "MethodNotAllowed", "501": "NotImplemented"}
        if value in codes:
            raise Refused(int(value), codes[value])
        if asks_for_versions:
            status = f"<Status>{value}</Status>" if value else ""
            return 200, f"<VersioningConfiguration>{status}</VersioningConfiguration>".encode(), {}
        if not value:
            raise Refused(404, "ObjectLockConfigurationNotFoundError")
        rule = f"<Rule><DefaultRetention><Mode>{value}</Mode><Days>1</Days></DefaultRetention></Rule>"
        enabled = "<ObjectLockEnabled>Enabled</ObjectLockEnabled>"
        return 200, f"<ObjectLockConfiguration>{enabled}{rule}</ObjectLockConfiguration>".encode(), {}

    def put(self, name, body):
        store = self.server.store
        if self.headers.get("If-None-Match") == "*" and name in store.objects:
            raise Refused(412, "PreconditionFailed")
        if sum(map(len, store.objects.values())) + len(body) > int(store.settings["quota"]):
            raise Refused(403, "QuotaExceeded")
        faults = store.faults
        if faults.get("error200", 0) > 0:
            faults["error200"] -= 1
            return 200, b"<Error><Code>InternalError</Code></Error>", {}
        if faults.get("keep-other", 0) > 0:
            faults["keep-other"] -= 1
            body = body[:-1] + bytes([body[-1] ^ 1])
        store.earlier = dict(store.objects)
        store.objects[name] = body
        return 200, b"", {"ETag": self.tag(body)}

    def tag(self, content):
        faults = self.server.store.faults
        salt = b""
        if faults.get("other-tag", 0) > 0:
            faults["other-tag"] -= 1
            salt = b"key"
        return f'"{hashlib.md5(content + salt).hexdigest()}"'

    def list(self, query):
        store = self.server.store
        objects = store.earlier if store.settings["late"] == "list" else store.objects
        prefix, after = query.get("prefix", ""), query.get("start-after", "")
        names = sorted((name for name in objects if name.startswith(prefix) and name > after), key=str.encode)
        page = names[:min(int(query["max-keys"]), int(store.settings["page"]))]
        if store.faults.get("bad-list", 0) > 0:
            store.faults["bad-list"] -= 1
            page = page[::-1]
        entries = "".join(
            f"<Contents><Key>{escape(name)}</Key><Size>{len(objects[name])}</Size>"
            f"<ETag>&quot;{hashlib.md5(objects[name]).hexdigest()}&quot;</ETag></Contents>" for name in page)
        more = "true" if len(page) < len(names) else "false"
        text = '<?xml version="1.0" encoding="UTF-8"?>'
        if store.faults.get("entities", 0) > 0:
            store.faults["entities"] -= 1
            text += '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        text += f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>{more}</IsTruncated>'
        return 200, (text + entries + "</ListBucketResult>").encode(), {}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


def obey(store, words):
    if words[0] == "fault" and words[1] in FAULTS:
        with store.lock:
            store.faults[words[1]] = int(words[2])
        return "ok"
    if words[0] == "set" and words[1] in store.settings:
        store.settings[words[1]] = words[2] if len(words) > 2 else ""
        return "ok"
    if words[0] == "count":
        return str(store.counts.get(words[1], 0))
    if words[0] == "object":
        content = store.objects.get(words[1])
        return "none" if content is None else "bytes " + content.hex()
    return "unknown"


def main():
    server = Server(("127.0.0.1", 0), Handler)
    server.store = Store()
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    for line in sys.stdin:
        print(obey(server.store, line.split()), flush=True)


if __name__ == "__main__":
    main()
