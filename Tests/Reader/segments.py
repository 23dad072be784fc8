"""What the files of a vault are made of, as the article on the format says: slots, segments, records, commits, heads."""
import copy, ctypes, itertools, json, os, pathlib, struct, unicodedata
from primitives import argon2id, keyed, unseal, unseal_slot

SEGMENT_HEADER, RECORD_HEADER, FILE_PAGE, PAGE_NUMBERS, DATABASE_PAGE, COMMIT, HEAD_PART = range(1, 8)
EXTENT, PAGES, COMMIT_RECORD, HEAD_RECORD = range(1, 5)
RECORDS_START, PAGE = 112, 4096


class Damage(Exception):
    pass


def position(epoch, index, offset):
    return (epoch << 6 | index) << 26 | offset


def parts(place):
    """Epoch, index, and offset in the segment file."""
    return place >> 32, place >> 26 & 63, place & 0x3FFFFFF


class Vault:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        facts = json.loads((self.path / "agonyfs.json").read_text())
        if facts["format"] != 2:
            raise Damage(f"this is format {facts['format']}, not 2")
        self.identifier, self.segment_size = bytes.fromhex(facts["vault"]), facts["segmentSize"]
        self.derivations = facts["keyDerivations"]

    def tree(self):
        """The folder of segment files. A refresh that was killed between two renames leaves it under another name."""
        segments, refreshing = self.path / "segments", self.path / "refreshing"
        return refreshing if not segments.exists() and (refreshing / ".agonyfs-old").is_dir() else segments

    def file(self, name):
        return self.tree() / name[:1].hex() / name.hex()

    def listed(self):
        """The names of all segment files."""
        for path in self.tree().glob("??/*"):
            if len(path.name) == 32 and path.name[:2] == path.parent.name:
                yield bytes.fromhex(path.name)

    def slot(self, password):
        """The name and the body of the first slot file that a password opens."""
        for form, way in itertools.product(forms(password), self.derivations):
            salt, operations, memory = bytes.fromhex(way["salt"]), way["operations"], way["memory"]
            derived = argon2id(form, salt, operations, memory)
            key = keyed(derived, "agonyfs slot key")
            data = self.identifier + struct.pack("<IIIIQQ", 2, self.segment_size, 13, 0, operations, memory) + salt
            for context in "agonyfs slot id", "agonyfs second slot id":
                name = keyed(derived, context, count=16)
                content = self.file(name).read_bytes() if self.file(name).exists() else b""
                for start in range(0, len(content), self.segment_size // 8):
                    for size in 128, 224:
                        if body := unseal_slot(key, content[start:start + 40 + size], data):
                            return name, body
        raise Damage("no space opens with this password")


def forms(password):
    """What may have been sealed of a password: what was typed, and its normal form if that is another."""
    try:
        text = password.decode("utf-8")
    except UnicodeDecodeError:
        return [password]
    normal = unicodedata.normalize("NFC", text.removeprefix("\ufeff")).encode()
    return [password] if normal == password else [password, normal]


class Keys:
    """What follows from the body of a slot. Epochs before `boundary` have the keys `before`, if there are such."""

    def __init__(self, body):
        space_key, self.suite, self.file_page, page, incompatible = struct.unpack_from("<32sB3xII4x16xQ", body)
        if page != PAGE or incompatible & ~3:
            raise Damage("the space needs another reader")
        self.log, self.identifier, self.chain = (
            keyed(space_key, "agonyfs " + name) for name in ("log", "identifier", "chain"))
        self.mark = keyed(self.chain, "successor", count=16)
        self.boundary, self.before = struct.unpack_from("<I", body, 72)[0] if incompatible & 2 else 0, None
        if self.boundary:
            self.before = Keys(body[192:224] + body[32:64] + struct.pack("<Q", incompatible & ~2) + bytes(56))

    def of(self, epoch):
        return self.before if epoch < self.boundary else self

    def alone(self):
        """The same without those before."""
        keys = copy.copy(self)
        keys.boundary, keys.before = 0, None
        return keys

    def name(self, epoch, index=0, branch=b""):
        key = self.of(epoch).identifier
        if index == 0:
            return keyed(key, "epoch", struct.pack("<Q", epoch), 16)
        return keyed(key, "segment", struct.pack("<Q16sI", epoch, branch, index), 16)

    def chain_after(self, before, tag, epoch):
        return keyed(self.of(epoch).chain, "record", before + tag)


class Segment:
    """A segment file: its header, if it opens, and the blobs in it."""

    def __init__(self, vault, keys, name, epoch=None):
        self.keys, self.path, self.size_limit = keys, vault.file(name), vault.segment_size
        self.content, self.opens = self.path.read_bytes(), False
        for candidate in [keys.of(epoch)] if epoch else filter(None, [keys, keys.before]):
            self.key = keyed(candidate.log, "segment", self.content[:32])
            header = self.blob(32, 64, SEGMENT_HEADER)
            if header is None or keys.of(struct.unpack_from("<I", header)[0]) is not candidate:
                continue
            self.opens = True
            self.epoch, self.index, self.branch, self.previous_end, self.chain = struct.unpack("<II16sI4x32s", header)
            break

    def blob(self, offset, count, kind):
        sealed = self.content[offset:offset + count + 16]
        return unseal(self.keys.suite, self.key, offset, kind, sealed) if len(sealed) == count + 16 else None

    def record(self, offset):
        header = self.blob(offset, 32, RECORD_HEADER)
        if header is None:
            return None
        record = Record(self, offset, *struct.unpack("<BBxxIQQQ", header))
        return record if EXTENT <= record.kind <= HEAD_RECORD and record.end <= self.size_limit else None

    def birth(self):
        """When the file was made: seconds and nanoseconds, 0 where the host keeps none."""
        facts = ctypes.create_string_buffer(256)
        if ctypes.CDLL(None).statx(-100, os.fsencode(self.path), 0, 0x800, facts) != 0:
            raise OSError(f"statx of {self.path}")
        mask, seconds, nanoseconds = struct.unpack_from("<I76xqI", facts)
        return (seconds, nanoseconds) if mask & 0x800 else (0, 0)


class Record:
    def __init__(self, segment, offset, kind, flags, length, first, second, third):
        self.segment, self.offset, self.kind, self.flags, self.length = segment, offset, kind, flags, length
        self.first, self.second, self.third = first, second, third
        self.body, self.end = offset + 48, offset + 48 + length + -length % 16
        self.tag = segment.content[offset + 32:offset + 48]
        self.position = position(segment.epoch, segment.index, offset)

    def only_blob(self, kind):
        return self.segment.blob(self.body, self.length - 16, kind)

    def pages(self):
        """(number, position) of each page; None where the list does not open."""
        count = self.first
        if not 1 <= count <= 64 or self.length != 4 * count + 16 + count * (PAGE + 16):
            return None
        numbers = self.segment.blob(self.body, 4 * count, PAGE_NUMBERS)
        start = self.position + 48 + 4 * count + 16
        return numbers and [
            (number, start + k * (PAGE + 16)) for k, number in enumerate(struct.unpack(f"<{count}I", numbers))]

    def authenticates(self):
        """Whether every blob of the body opens."""
        if self.kind == PAGES:
            return self.pages() is not None and all(
                self.segment.blob(parts(place)[2], PAGE, DATABASE_PAGE) is not None for _, place in self.pages())
        if self.kind != EXTENT:
            return self.only_blob(COMMIT if self.kind == COMMIT_RECORD else HEAD_PART) is not None
        size, offset, rest = self.segment.keys.file_page, self.body, self.third
        if self.length != self.third + 16 * -(-self.third // size):
            return False
        while rest > 0:
            if self.segment.blob(offset, min(rest, size), FILE_PAGE) is None:
                return False
            offset, rest = offset + size + 16, rest - size
        return True


class Commit:
    def __init__(self, record, body):
        self.records, self.page_count, self.sequence, self.flushed, self.chain = struct.unpack_from("<IIQQ32s", body)
        self.is_closing, self.intents, self.replaces = bool(record.flags & 1), b"", False
        if record.flags & 2:
            count, replaces = struct.unpack_from("<II", body, 56)
            self.intents, self.replaces = body[64:64 + count], replaces == 1
        self.changes = self.records > 0 or bool(record.flags & 2)
        self.pages = []


class State:
    """What a head states, and what the commits after it make of that."""

    def __init__(self, data):
        (version, self.epoch, _, _, born, born_nanoseconds, owner, self.previous_end, self.chain, self.sequence, heads,
         epochs, retired, pages) = struct.unpack_from("<IIqQqIIQ32sQ4I", data)
        if version not in (1, 2):
            raise Damage("the state has another version")
        self.birth, self.heads, at = (born, born_nanoseconds), heads, 104 + 12 * heads
        self.oldest = struct.unpack_from("<I", data, 104)[0] if heads else self.epoch
        entries = [struct.unpack_from("<I16sQ", data, at + 28 * k) for k in range(epochs)]
        self.branches = {epoch: branch for epoch, branch, _ in entries}
        self.present = {epoch: bits for epoch, _, bits in entries}
        at += 28 * epochs
        self.retired = {struct.unpack_from("<QI", data, at + 12 * k)[0] for k in range(retired)}
        at += 12 * retired
        self.map = list(struct.unpack_from(f"<{pages}Q", data, at))
        at += 8 * pages
        self.owner = data[at:at + owner] if version == 2 else b""
        self.files = struct.unpack_from("<Q", self.owner)[0] if self.owner else 0
        self.successor, self.is_rekeying = self.rekeying()
        self.intents = data[at + len(self.owner):]
        self.warnings = []

    def rekeying(self):
        """The mark of the key under which the log goes on, if it does; whether something may be under the previous key."""
        at = 8
        for size in (16, 32, 32) if self.owner else ():
            at += 4 + size * struct.unpack_from("<I", self.owner, at)[0]
        stage = struct.unpack_from("<I", self.owner, at)[0] if at < len(self.owner) else 0
        return self.owner[at + 4:] if stage == 1 else None, stage == 2

    def apply(self, commit):
        self.map = (self.map + [0] * commit.page_count)[:commit.page_count]
        for number, place in commit.pages:
            if 1 <= number <= commit.page_count:
                self.map[number - 1] = place
        self.intents = commit.intents if commit.replaces else self.intents + commit.intents
        self.sequence, self.end, self.end_chain = commit.sequence, commit.end, commit.end_chain
