#!/usr/bin/env python3
"""Makes the vectors beside this file, from the format article alone and with other libraries than agonyfs uses.

Running it again writes the same files; the tests read those.
"""
import base64, json, pathlib, struct, sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "Reader"))
from primitives import AES, XCHACHA, argon2id, keyed, seal, seal_slot

SEGMENT_SIZE = 1 << 20


def span(first, count):
    return bytes((first + i) & 255 for i in range(count))


def write(name, value):
    (HERE / name).write_text(json.dumps(value, indent=1) + "\n")


def slot():
    password, salt, vault = b"correct horse battery staple", span(0, 16), span(16, 16)
    operations, memory = 2, 8 << 20
    derived = argon2id(password, salt, operations, memory)
    key = keyed(derived, "agonyfs slot key")
    data = vault + struct.pack("<IIIIQQ", 2, SEGMENT_SIZE, 13, 0, operations, memory) + salt
    body = span(32, 32) + struct.pack("<B3xIIIQQQ", 2, 16384, 4096, 0, 0, 0, 0)
    body += bytes(128 - len(body))
    nonce = span(64, 24)
    write("slot.json", {
        "password": password.decode(), "salt": salt.hex(), "operations": operations, "memory": memory,
        "vault": vault.hex(), "segmentSize": SEGMENT_SIZE, "derived": derived.hex(),
        "slotIdentifier": keyed(derived, "agonyfs slot id", count=16).hex(),
        "secondSlotIdentifier": keyed(derived, "agonyfs second slot id", count=16).hex(), "slotKey": key.hex(),
        "associatedData": data.hex(), "body": body.hex(), "sealed": seal_slot(key, nonce, body, data).hex()})


def log(suite, number, file_page):
    space, branch, salt, chain = span(96, 32), span(128, 16), span(160, 32), span(192, 32)
    log_key, id_key, chain_key = (keyed(space, "agonyfs " + name) for name in ("log", "identifier", "chain"))
    key = keyed(log_key, "segment", salt)
    segment = bytearray(salt)

    def blob(kind, plaintext):
        segment.extend(seal(number, key, len(segment), kind, plaintext))

    records = []

    def record(kind, flags, first, second, third, blobs):
        nonlocal chain
        start = len(segment)
        length = sum(len(plaintext) + 16 for _, plaintext in blobs)
        blob(2, struct.pack("<BBHIQQQ", kind, flags, 0, length, first, second, third))
        chain = keyed(chain_key, "record", chain + segment[-16:])
        for blob_kind, plaintext in blobs:
            blob(blob_kind, plaintext)
        segment.extend(bytes(-len(segment) % 16))
        records.append({"offset": start, "bodyLength": length, "chainAfter": chain.hex()})

    first_chain = chain
    blob(1, struct.pack("<II16sII32s", 1, 0, branch, 0, 0, chain))
    state = struct.pack("<IIqQqIIQ32sQ4I", 1, 1, 1_700_000_000, 7, 8, 9, 0, 0, first_chain, 41, 1, 1, 0, 0)
    state += struct.pack("<Iq", 1, 1_700_000_000) + struct.pack("<I16sQ", 1, branch, 1)
    record(4, 0, 0, len(state), len(state), [(7, state)])
    file = bytes((i * i + 3 * i) & 255 for i in range(16384 + 100))
    record(1, 0, 12, 4096, len(file), [(3, file[at:at + file_page]) for at in range(0, len(file), file_page)])
    page = bytes((5 * i + (i >> 8)) & 255 for i in range(4096))
    record(2, 0, 1, 0, 0, [(4, struct.pack("<I", 2)), (5, page)])
    flushed = (1 << 6) << 26 | records[1]["offset"]
    record(3, 0, 42, 0, 0, [(6, struct.pack("<IIQQ32s", 1, 2, 42, flushed, chain))])
    intents = intent(12, 5000, 1_700_000_043, 43, (16, b"a line\n"), (4000, span(5, 20)))
    fixed = struct.pack("<IIQQ32sII", 0, 2, 43, flushed, chain, len(intents), 1)
    record(3, 3, 43, 0, 0, [(6, fixed + intents)])
    write(f"log-{suite}.json", {
        "suite": suite, "spaceKey": space.hex(), "segmentSize": SEGMENT_SIZE, "filePageSize": file_page,
        "branch": branch.hex(), "salt": salt.hex(),
        "segmentKey": key.hex(), "chain": first_chain.hex(), "headState": state.hex(),
        "headIdentifier": keyed(id_key, "epoch", struct.pack("<Q", 1), 16).hex(),
        "secondIdentifier": keyed(id_key, "segment", struct.pack("<Q16sI", 1, branch, 1), 16).hex(),
        "records": records, "segment": base64.b64encode(segment).decode()})


def intent(inode, size, seconds, nanoseconds, *writes):
    fixed = struct.pack("<QqqII", inode, size, seconds, nanoseconds, len(writes))
    return fixed + b"".join(struct.pack("<qI", offset, len(data)) + data for offset, data in writes)


def head_state():
    intents = intent(3, 7, -1, 999_999_999, (0, b"a")) + intent(4, 1 << 40, 0, 0, (1 << 39, b"bc"))
    state = struct.pack(
        "<IIqQqIIQ32sQ4I", 1, 9, 1_700_000_009, 1 << 40, -1, 999_999_999, 0, (8 << 6 | 3) << 26 | 4096, span(1, 32), 77,
        2, 3, 1, 4)
    state += b"".join(struct.pack("<Iq", epoch, 1_700_000_000 + epoch) for epoch in (7, 9))
    for epoch, present in ((6, 0b1101), (7, 1), (9, 1 << 63 | 1)):
        state += struct.pack("<I16sQ", epoch, span(epoch, 16), present)
    state += struct.pack("<QI", 6 << 6 | 2, 8)
    state += struct.pack("<4Q", (6 << 6) << 26 | 112, 0, (7 << 6) << 26 | 256, (6 << 6 | 3) << 26 | 1 << 21)
    state += intents
    write("head-state.json", {"encoded": state.hex()})


def head_state_with_owner():
    owner = struct.pack("<QI", 300, 2) + span(1, 16) + span(17, 16)
    owner += struct.pack("<IQQ", 1, 3, 256 << 20) + span(33, 16)
    owner += struct.pack("<I16sQQ16sQQ", 2, span(49, 16), 7, 280, span(65, 16), 0, 3)
    state = struct.pack(
        "<IIqQqIIQ32sQ4I", 2, 4, 1000, 77, 5, 6, len(owner), 1 << 30, bytes(32), 12, 1, 1, 0, 2)
    state += struct.pack("<IqI16sQQQ", 4, 1000, 4, span(81, 16), 1, 5, 6)
    write("head-state-with-owner.json", {"encoded": (state + owner + bytes([9, 9])).hex()})


slot()
log("aes-256-gcm", AES, 8192)
log("xchacha20-poly1305", XCHACHA, 16384)
head_state()
head_state_with_owner()
