"""The ciphers and hashes of the format, by other libraries than agonyfs uses for them.

Needs the Debian packages python3-cryptography and python3-argon2, or `pip install cryptography argon2-cffi`.
"""
import hashlib, struct
from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

AES, XCHACHA = 1, 2


def argon2id(password, salt, operations, memory):
    return hash_secret_raw(password, salt, operations, memory // 1024, 1, 64, Type.ID, 0x13)


def keyed(key, context, data=b"", count=32):
    return hashlib.blake2b(context.encode() + data, digest_size=count, key=key).digest()


def hchacha20(key, nonce):
    state = list(struct.unpack("<4I", b"expand 32-byte k") + struct.unpack("<8I", key) + struct.unpack("<4I", nonce))

    def quarter(a, b, c, d):
        for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[x] = (state[x] + state[y]) & 0xFFFFFFFF
            mixed = state[z] ^ state[x]
            state[z] = (mixed << turn | mixed >> (32 - turn)) & 0xFFFFFFFF

    for _ in range(10):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<8I", *state[:4], *state[12:])


def xchacha(key, nonce):
    """The cipher for one nonce, and the nonce that is left for it."""
    return ChaCha20Poly1305(hchacha20(key, nonce[:16])), bytes(4) + nonce[16:]


def cipher(suite, key, offset):
    """The cipher for the blob at an offset of a segment, and its nonce."""
    if suite == AES:
        return AESGCM(key), struct.pack("<QI", offset, 0)
    return xchacha(key, struct.pack("<QQQ", offset, 0, 0))


def seal(suite, key, offset, kind, plaintext):
    aead, nonce = cipher(suite, key, offset)
    return aead.encrypt(nonce, plaintext, bytes([kind]))


def unseal(suite, key, offset, kind, sealed):
    """The plaintext of a blob; None where it does not authenticate."""
    if len(sealed) < 16:
        return None
    aead, nonce = cipher(suite, key, offset)
    try:
        return aead.decrypt(nonce, sealed, bytes([kind]))
    except InvalidTag:
        return None


def seal_slot(key, nonce, body, data):
    aead, rest = xchacha(key, nonce)
    return nonce + aead.encrypt(rest, body, data)


def unseal_slot(key, sealed, data):
    """The body of one copy of a slot; None where it does not authenticate."""
    if len(sealed) < 40:
        return None
    aead, rest = xchacha(key, sealed[:24])
    try:
        return aead.decrypt(rest, sealed[24:], data)
    except InvalidTag:
        return None
