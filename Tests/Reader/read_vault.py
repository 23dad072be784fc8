#!/usr/bin/env python3
"""Reads a whole vault, from the articles on its format and its schema alone.

    read_vault.py VAULT < PASSWORD                 lists every file, as JSON
    read_vault.py VAULT --expect LIST < PASSWORD   compares every file with such a list

Every byte of every file is read. The list has the BLAKE2b-256 of the last 16 MiB of each. With `--original` the vault
counts as the one that was written and not as a copy, whenever its files were made. Exit statuses: 1, something differs; 3,
something cannot be read.
"""
import argparse, hashlib, json, sqlite3, stat, struct, sys
from urllib.parse import quote
from log import Log
from segments import DATABASE_PAGE, FILE_PAGE, PAGE, Damage, Vault

HASHED = 16 << 20


class Space:
    """The files of a space: its database, and the intents over it."""

    def __init__(self, log):
        self.log, self.state = log, log.open()
        self.database = sqlite3.connect(":memory:")
        pages = [log.read(self.state, place, PAGE, DATABASE_PAGE) for place in self.state.map]
        self.database.deserialize(b"".join(pages))
        if self.one("SELECT value FROM meta WHERE key = 'schema'") not in ((2,), (3,)):
            raise Damage("the database has another schema")
        self.intents = {}
        self.read_intents(self.state.intents)

    def one(self, statement, *values):
        return self.database.execute(statement, values).fetchone()

    def read_intents(self, data):
        """Notes the intents of each regular file that has a name, in their order."""
        at = 0
        while at < len(data):
            inode, size, seconds, nanoseconds, count = struct.unpack_from("<QqqII", data, at)
            at, writes = at + 32, []
            for _ in range(count):
                offset, length = struct.unpack_from("<qI", data, at)
                writes.append((offset, data[at + 12:at + 12 + length]))
                at += 12 + length
            row = self.one("SELECT mode, links FROM inode WHERE number = ?", inode)
            if row and stat.S_ISREG(row[0]) and row[1] > 0:
                self.intents.setdefault(inode, []).append((size, (seconds, nanoseconds), writes))

    def content(self, inode, start, end):
        """Bytes of a file from `start` to `end`, which is not beyond its size."""
        content = bytearray(end - start)
        rows = self.database.execute(
            "SELECT offset, length, position, record, skip FROM extent "
            "WHERE inode = ? AND offset < ? AND offset + length > ? AND position <> 0", (inode, end, start))
        pieces = [(offset, self.piece(length, *rest)) for offset, length, *rest in rows]
        for offset, data in pieces + [write for _, _, writes in self.intents.get(inode, []) for write in writes]:
            first, last = max(start, offset), min(end, offset + len(data))
            if first < last:
                content[first - start:last - start] = data[first - offset:last - offset]
        return bytes(content)

    def piece(self, length, position, record, skip):
        size, data = self.log.keys.file_page, b""
        for page in range(skip // size, -(-(skip + length) // size)):
            count = min(size, record - page * size)
            data += self.log.read(self.state, position + 48 + page * (size + 16), count, FILE_PAGE)
        start = skip - skip // size * size
        return data[start:start + length]

    def entry(self, inode):
        """What can be seen of an inode."""
        mode, links, owner, group, device, size, *times, target = self.one(
            'SELECT mode, links, owner, "group", device, size, modified_s, modified_ns, changed_s, changed_ns, target '
            "FROM inode WHERE number = ?", inode)
        modified, changed = times[:2], times[2:]
        for least, time, _ in self.intents.get(inode, []):
            size, modified, changed = max(size, least), time, time
        entry = {"mode": oct(mode), "links": links, "owner": owner, "group": group,
                 "modified": modified[0] * 10**9 + modified[1], "changed": changed[0] * 10**9 + changed[1]}
        if stat.S_ISREG(mode):
            last = self.content(inode, max(0, size - HASHED), size)
            entry |= {"size": size, "blake2b": hashlib.blake2b(last, digest_size=32).hexdigest()}
        elif stat.S_ISLNK(mode):
            entry["target"] = quote(target)
        elif stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
            entry["device"] = device
        attributes = self.database.execute("SELECT name, value FROM attribute WHERE inode = ? ORDER BY name", (inode,))
        if found := {name.decode(): value.hex() for name, value in attributes}:
            entry["attributes"] = found
        return entry

    def entries(self):
        """Every file by its path, in percent-encoding; "." is the root."""
        found, rest = {".": self.entry(1)}, [(1, b"")]
        while rest:
            folder, path = rest.pop()
            for name, inode, kind in self.database.execute(
                    "SELECT name, inode, kind FROM dentry WHERE parent = ?", (folder,)).fetchall():
                found[quote(path + name)] = self.entry(inode)
                if kind == stat.S_IFDIR >> 12:
                    rest.append((inode, path + name + b"/"))
        pieces = self.database.execute(
            "SELECT length, position, record, skip FROM extent "
            "WHERE inode IN (SELECT inode FROM dentry) AND position <> 0")
        for row in pieces.fetchall():
            self.piece(*row)
        return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vault")
    parser.add_argument("--expect", type=argparse.FileType())
    parser.add_argument("--original", action="store_true")
    options = parser.parse_args()
    password = sys.stdin.buffer.readline().removesuffix(b"\n")
    try:
        space = Space(Log(Vault(options.vault), password, options.original))
        found = space.entries()
    except Damage as damage:
        print(f"{options.vault}: {damage}", file=sys.stderr)
        sys.exit(3)
    for warning in space.state.warnings:
        print(f"{options.vault}: {warning}", file=sys.stderr)
    if not options.expect:
        return print(json.dumps(found, indent=1))
    expected, differences = json.load(options.expect)["files"], 0
    for path in sorted(found.keys() | expected.keys()):
        if found.get(path) != expected.get(path):
            differences += 1
            print(f"{path}: {found.get(path)} instead of {expected.get(path)}", file=sys.stderr)
    print(f"{len(found)} files, {len(space.state.intents)} bytes of intents, {differences} differences")
    sys.exit(differences > 0)


main()
