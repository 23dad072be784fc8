#!/usr/bin/env python3
"""Makes a small vault that later versions have to open (or refuse in a sentence), and says what is in it.

    make.py AGONYFS FOLDER closed|killed

Needs root, /dev/fuse, and the Debian packages attr, acl, libvips-tools, python3-argon2 and python3-cryptography.
FOLDER gets `vault/`, and for each space N a file `space-N.json`: its password and every file of it. In a `killed` vault
the daemon of the first space was ended by SIGKILL after small writes that were fsynced, and again at the next mount.
The last head and, without it, the log behind the one before have intents, and lead to the same files.

What follows the last record of a segment, everything in a slot behind its first copy, and all of a cover file is random
bytes that nothing authenticates. They are left out here: whoever reads the vault appends zeros up to the segment size,
or to the size in `incomplete.json` where a file was still being written.
"""
import hashlib, json, os, pathlib, shutil, signal, stat, struct, subprocess, sys, tempfile, time
from urllib.parse import quote

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Reader"))
from segments import RECORDS_START, Keys, Segment, Vault

PASSWORDS = ["correct horse battery staple", "a second space, \u00fcber alles"]
SEGMENT_SIZE = 1 << 20
HASHED = 16 << 20  # bytes at the end of a file of which the list has the hash


def ends_of_records(vault, keys, name):
    """Where records of a segment end, from its header on; empty when the space has not written this file."""
    segment, ends = Segment(vault, keys, name), []
    if segment.opens:
        ends.append(RECORDS_START)
        while record := segment.record(ends[-1]):
            ends.append(record.end)
    return ends


def shorten(vault):
    """Leaves out what nothing authenticates, and has the crash tear everything behind the last head."""
    short, reader = {}, Vault(vault)
    slots = dict(reader.slot(password.encode()) for password in PASSWORDS)
    for name in sorted(reader.listed()):
        path, end = reader.file(name), 168 if name in slots else 0
        content = path.read_bytes()
        for body in slots.values():
            if ends := ends_of_records(reader, Keys(body), name):
                end = ends[-1]
                if len(content) < SEGMENT_SIZE:
                    short[path.name] = end = ends[1]
        path.write_bytes(content[:end])
    return short


def entry(path):
    """What can be seen of a file; hashes are BLAKE2b-256."""
    facts = os.lstat(path)
    entry = {"mode": oct(facts.st_mode), "links": facts.st_nlink, "owner": facts.st_uid, "group": facts.st_gid,
             "modified": facts.st_mtime_ns, "changed": facts.st_ctime_ns}
    if stat.S_ISREG(facts.st_mode):
        with open(path, "rb") as file:
            file.seek(max(0, facts.st_size - HASHED))
            entry["blake2b"] = hashlib.blake2b(file.read(), digest_size=32).hexdigest()
        entry["size"] = facts.st_size
    elif stat.S_ISLNK(facts.st_mode):
        entry["target"] = quote(os.readlink(path))
    elif stat.S_ISBLK(facts.st_mode) or stat.S_ISCHR(facts.st_mode):
        entry["device"] = facts.st_rdev
    for name in sorted(os.listxattr(path, follow_symlinks=False)):
        value = os.getxattr(path, name, follow_symlinks=False)
        entry.setdefault("attributes", {})[name] = value.hex()
    return entry


def listing(top, paths=None):
    """Some files below a mount, or all of them, by their paths in percent-encoding."""
    top = os.fsencode(top)
    if paths is None:
        paths = [top]
        for folder, folders, files in os.walk(top):
            paths += [os.path.join(folder, name) for name in folders + files]
    return {quote(os.path.relpath(path, top)): entry(path) for path in sorted(paths)}


class Mount:
    def __init__(self, program, vault, point, password):
        self.program, self.point = program, point
        options = ["-f", "--copy-window", "1s", "-o", "dev,suid", "--password-file", "/dev/stdin"]
        self.daemon = subprocess.Popen([program, "mount", *options, vault, point], stdin=subprocess.PIPE)
        self.daemon.stdin.write(password.encode() + b"\n")
        self.daemon.stdin.close()
        for _ in range(600):
            if os.path.ismount(point):
                return
            time.sleep(0.1)
        sys.exit("the mount did not answer in a minute")

    def unmount(self):
        subprocess.run([self.program, "unmount", self.point], check=True)
        self.daemon.wait(60)

    def kill(self):
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait(60)
        subprocess.run(["umount", "-l", self.point], check=True)


def write(path, data, offset=0, sync=False):
    """Writes into a file, and flushes it."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    os.pwrite(handle, data, offset)
    if sync:
        os.fsync(handle)
    os.close(handle)


def text(lines, word="line"):
    return "".join(f"{word} {i} of a text that says little\n" for i in range(lines)).encode()


def first_session(top):
    """All kinds of files."""
    os.makedirs(top / "albums/2024/summer")
    os.mkdir(top / "albums/empty folder")
    write(top / "empty", b"")
    write(top / "small", b"a small file\n")
    write(top / "albums/2024/text", text(500))
    write(top / "albums/removed", text(100, "removed"))
    write(top / "sparse", b"in the middle of nothing", 5_000_000)
    os.truncate(top / "sparse", 10_000_000)
    write(top / "huge", b"in the middle of nothing", 1 << 40)
    os.truncate(top / "huge", (1 << 40) + 1_000_000)
    os.link(top / "small", top / "albums/the same file")
    os.symlink("../small", top / "albums/symbolic link")
    os.symlink(b"nowhere \xff", os.fsencode(top / "dangling"))
    os.mkfifo(top / "fifo", 0o600)
    os.mknod(top / "device", stat.S_IFCHR | 0o640, os.makedev(1, 3))
    odd = [b"\xff\xfe not UTF-8", b"new\nline", b"%41 percent", b"\xc3\xa9 composed", b"x" * 255, b"back\\slash\x7f"]
    for name in odd:
        write(os.path.join(os.fsencode(top), name), b"named " + name)
    os.setxattr(top / "small", "user.comment", b"some \x00 bytes")
    os.setxattr(top / "small", "user.empty", b"")
    os.setxattr(top / "albums", "user.large", bytes(i * i & 255 for i in range(600)))
    subprocess.run(["setfacl", "-m", "u:1234:rwx,g:4321:r,m::rx", top / "small"], check=True)
    subprocess.run(["setfacl", "-d", "-m", "u:77:rwx", top / "albums/2024"], check=True)
    write(top / "albums/2024/inherits", b"access list of its folder")
    os.chown(top / "albums/2024/text", 1000, 2000)
    os.chmod(top / "albums/2024/text", 0o4750)
    os.chmod(top / "albums", 0o1777)
    os.utime(top / "small", ns=(0, -1_000_000_001))
    os.utime(top / "albums/2024", ns=(0, 4_000_000_000_123_456_789))


def second_session(top):
    """Changes in files that were written before, and what becomes of their data."""
    os.remove(top / "albums/removed")
    write(top / "albums/2024/text", b"OVERWRITTEN", 10_000)
    os.truncate(top / "albums/2024/text", 17_011)
    os.rename(top / "empty", top / "albums/2024/summer/empty")
    write(top / "database", bytes(20_000))


    os.sync()
    write(top / "log of writes", b"begins\n")
    write(top / "database", b"\x01" * 5000, 6000)


def small_commits(top):
    """Small writes one by one, each durable before the next."""
    for number in range(6):
        write(top / f"created {number}", b"%d" % number, sync=True)
    folder = os.open(top, os.O_RDONLY)
    os.rename(top / "created 0", top / "renamed")
    os.fsync(folder)
    os.remove(top / "created 1")
    os.fsync(folder)
    os.close(folder)


def last_writes(top):
    """Writes into files that exist already, each durable before the next. Gives the files."""
    write(top / "sparse", b"at the end", 10_000_000, sync=True)
    for number in range(4):
        write(top / "database", b"\x02" * 100, 512 * 9 * number, sync=True)
        write(top / "log of writes", b"line %d\n" % number, 7 + 7 * number, sync=True)
    return [os.fsencode(top / name) for name in ("database", "log of writes", "sparse")]


def photo_session(top):
    os.mkdir(top / "photos")
    subprocess.run(["vips", "gaussnoise", "/tmp/agonyfs-fixture.jpg", "24", "16", "--seed", "1"], check=True)
    shutil.move("/tmp/agonyfs-fixture.jpg", top / "photos/noise.jpg")
    write(top / "photos/notes.txt", text(200, "note"))
    subprocess.run([sys.argv[1], "thumbnails", top], check=True)


def sessions(program, vault, point, password, steps, crash=False):
    """Mounts once for each step, and gives the files after the last one.

    With a crash the daemon dies after more writes, and once more after the first write of another mount. The head that
    is written then has what only the log had before; what follows it is torn.
    """
    for step in steps:
        mount = Mount(program, vault, point, password)
        step(pathlib.Path(point))
        found = listing(point)
        if step is steps[-1] and crash:
            # The database has what was written last about a second later; so the list of everything came before.
            found |= listing(point, last_writes(pathlib.Path(point)))
            mount.kill()
            mount = Mount(program, vault, point, password)
            write(point + "/log of writes", b"torn", 36, sync=True)
            mount.kill()
        else:
            mount.unmount()
    return dict(sorted(found.items()))


def main(program, folder, ending):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    vault = folder / "vault"
    run = lambda arguments, password: subprocess.run(
        [program, *arguments, "--password-file", "/dev/stdin"], input=password.encode() + b"\n", check=True)
    while True:
        run(["create", "--kdf", "interactive", "--cipher", "aes-256-gcm", "--segment-size", "1M", "--cover", "0", vault], PASSWORDS[0])
        if sum(1 for _ in (vault / "segments").glob("*/*")) <= 9:
            break
        shutil.rmtree(vault)
    run(["space", "add", "--cover", "0", "--cipher", "xchacha20-poly1305", vault], PASSWORDS[1])
    with tempfile.TemporaryDirectory() as point:
        second = sessions(program, vault, point, PASSWORDS[1], [photo_session])
        steps = [first_session, second_session, small_commits]
        first = sessions(program, vault, point, PASSWORDS[0], steps, ending == "killed")
    for number, found in enumerate((first, second), 1):
        facts = {"password": PASSWORDS[number - 1], "files": found}
        (folder / f"space-{number}.json").write_text(json.dumps(facts, indent=1) + "\n")
    shutil.copytree(vault, folder / "full")
    (folder / "incomplete.json").write_text(json.dumps(shorten(vault)) + "\n")


main(*sys.argv[1:])
