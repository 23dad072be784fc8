"""A FIDO2 token in software: CTAP 2.0 with hmac-secret and PIN protocol one, in CTAPHID reports on a Unix socket.

token.py SOCKET [--pin PIN] [--without-secrets] [--deny FILE] [--hide] [--asked FILE] [--silent]: while FILE exists, the
person does not touch the token. With --hide it denies its credentials to whom it does not know (credProtect, level 3). The
FILE of --asked gets a line for each touch and each PIN. With --silent it answers nothing. Credentials live as long as the
process.
"""

import argparse
import hashlib
import hmac
import os
import socket
import struct

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

REPORT = 64
INIT, CBOR = 0x06, 0x10
DENIED, NO_CREDENTIALS, PIN_INVALID, PIN_BLOCKED, PIN_AUTH_INVALID, PIN_REQUIRED = 0x27, 0x2E, 0x31, 0x32, 0x33, 0x36


class Refusal(Exception):
    pass


def encode(value):
    def head(kind, number):
        for size, (mark, form) in enumerate([(None, ">B"), (24, ">B"), (25, ">H"), (26, ">I")]):
            if mark is None and number < 24:
                return bytes([kind << 5 | number])
            if mark is not None and number < 1 << (8 << (size - 1)):
                return bytes([kind << 5 | mark]) + struct.pack(form, number)
        raise ValueError(number)

    if value is True or value is False:
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    pairs = sorted((encode(key), encode(entry)) for key, entry in value.items())
    return head(5, len(pairs)) + b"".join(key + entry for key, entry in sorted(pairs, key=lambda p: (len(p[0]), p[0])))


def decode(data, at=0):
    kind, number = data[at] >> 5, data[at] & 31
    at += 1
    if kind == 7:
        return number == 21, at
    if number >= 24:
        size = 1 << (number - 24)
        number = int.from_bytes(data[at : at + size], "big")
        at += size
    if kind == 0:
        return number, at
    if kind == 1:
        return -1 - number, at
    if kind in (2, 3):
        content = bytes(data[at : at + number])
        return content if kind == 2 else content.decode(), at + number
    if kind == 4:
        items = []
        for _ in range(number):
            item, at = decode(data, at)
            items.append(item)
        return items, at
    entries = {}
    for _ in range(number):
        key, at = decode(data, at)
        entries[key], at = decode(data, at)
    return entries, at


def sha256(data):
    return hashlib.sha256(data).digest()


def authentication(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def cipher(key):
    return Cipher(algorithms.AES(key), modes.CBC(bytes(16)))


def encrypt(key, data):
    encryptor = cipher(key).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def decrypt(key, data):
    decryptor = cipher(key).decryptor()
    return decryptor.update(data) + decryptor.finalize()


def cose(public, algorithm):
    numbers = public.public_numbers()
    return {1: 2, 3: algorithm, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}


class Token:
    def __init__(self, options):
        self.options = options
        self.retries = 3
        self.agreement = ec.generate_private_key(ec.SECP256R1())
        self.pin_token = os.urandom(16)
        self.credentials = {}

    def shared(self, key):
        x, y = (int.from_bytes(key[i], "big") for i in (-2, -3))
        public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        return sha256(self.agreement.exchange(ec.ECDH(), public))

    def information(self, _):
        extensions = [] if self.options.without_secrets else ["hmac-secret"]
        return {
            1: ["FIDO_2_0"], 2: extensions, 3: bytes(16),
            4: {"rk": True, "up": True, "clientPin": self.options.pin is not None}, 5: 1200, 6: [1],
        }

    def note(self, word):
        if self.options.asked:
            with open(self.options.asked, "a") as file:
                file.write(word + "\n")

    def client_pin(self, request):
        if request[2] == 1:
            return {3: self.retries}
        if request[2] == 2:
            return {1: cose(self.agreement.public_key(), -25)}
        self.note("PIN")
        if self.retries == 0:
            raise Refusal(PIN_BLOCKED)
        shared = self.shared(request[3])
        if decrypt(shared, request[6]) != sha256(self.options.pin.encode())[:16]:
            self.retries -= 1
            raise Refusal(PIN_BLOCKED if self.retries == 0 else PIN_INVALID)
        self.retries = 3
        return {2: encrypt(shared, self.pin_token)}

    def verified(self, request, authentication_key, is_required, is_touched=True):
        if is_touched:
            self.note("touch")
        if is_touched and self.options.deny and os.path.exists(self.options.deny):
            raise Refusal(DENIED)
        given = request.get(authentication_key)
        if given is None:
            if is_required and self.options.pin is not None:
                raise Refusal(PIN_REQUIRED)
            return False
        digest = request[1] if authentication_key == 8 else request[2]
        if given != authentication(self.pin_token, digest)[:16]:
            raise Refusal(PIN_AUTH_INVALID)
        return True

    def make_credential(self, request):
        verified = self.verified(request, 8, True)
        key = ec.generate_private_key(ec.SECP256R1())
        identifier = os.urandom(48)
        is_resident = request.get(7, {}).get("rk", False)
        secrets = {False: os.urandom(32), True: os.urandom(32)}
        self.credentials[identifier] = (request[2]["id"], key, secrets, is_resident)
        data = sha256(request[2]["id"].encode()) + bytes([0xC1 | (4 if verified else 0)]) + bytes(4) + bytes(16)
        data += struct.pack(">H", len(identifier)) + identifier + encode(cose(key.public_key(), -7))
        data += encode({"hmac-secret": True})
        return {1: "none", 2: data, 3: {}}

    def get_assertion(self, request):
        is_touched = request.get(5, {}).get("up", True)
        verified = self.verified(request, 6, False, is_touched)
        allowed = [entry["id"] for entry in request.get(3, [])]
        for identifier, (party, key, secrets, is_resident) in self.credentials.items():
            is_shown = verified or not self.options.hide
            if is_shown and party == request[1] and (identifier in allowed if allowed else is_resident):
                break
        else:
            raise Refusal(NO_CREDENTIALS)
        asked = request.get(4, {}).get("hmac-secret")
        flags = (1 if is_touched else 0) | (4 if verified else 0) | (0x80 if asked else 0)
        data = sha256(party.encode()) + bytes([flags]) + bytes(4)
        if asked:
            shared = self.shared(asked[1])
            if authentication(shared, asked[2])[:16] != asked[3]:
                raise Refusal(PIN_AUTH_INVALID)
            secret = authentication(secrets[verified], decrypt(shared, asked[2]))
            data += encode({"hmac-secret": encrypt(shared, secret)})
        signature = key.sign(data + request[2], ec.ECDSA(hashes.SHA256()))
        return {1: {"id": identifier, "type": "public-key"}, 2: data, 3: signature}

    def answer(self, message):
        commands = {1: self.make_credential, 2: self.get_assertion, 4: self.information, 6: self.client_pin}
        try:
            request = decode(message, 1)[0] if len(message) > 1 else {}
            return b"\0" + encode(commands[message[0]](request))
        except Refusal as refusal:
            return bytes([refusal.args[0]])


def receive(connection, count):
    data = b""
    while len(data) < count:
        block = connection.recv(count - len(data))
        if not block:
            return None
        data += block
    return data


def serve(connection, token):
    while (report := receive(connection, REPORT)) is not None:
        channel, command, size = report[:4], report[4] & 0x7F, struct.unpack(">H", report[5:7])[0]
        message = report[7:]
        while len(message) < size:
            message += receive(connection, REPORT)[5:]
        message = message[:size]
        if token.options.silent:
            continue
        if command == INIT:
            reply = message + b"\0\0\0\x01" + bytes([2, 1, 0, 0, 0x0C])
        elif command == CBOR:
            reply = token.answer(message)
        else:
            continue
        connection.sendall((channel + bytes([0x80 | command]) + struct.pack(">H", len(reply)) + reply[:57]).ljust(64, b"\0"))
        rest, number = reply[57:], 0
        while rest:
            connection.sendall((channel + bytes([number]) + rest[:59]).ljust(64, b"\0"))
            rest, number = rest[59:], number + 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("socket")
    parser.add_argument("--pin")
    parser.add_argument("--without-secrets", action="store_true")
    parser.add_argument("--deny")
    parser.add_argument("--hide", action="store_true")
    parser.add_argument("--asked")
    parser.add_argument("--silent", action="store_true")
    options = parser.parse_args()
    token = Token(options)
    if os.path.exists(options.socket):
        os.unlink(options.socket)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(options.socket)
    listener.listen()
    while True:
        connection, _ = listener.accept()
        with connection:
            serve(connection, token)


main()
