"""The workloads. Each takes the path of a mount and the materials. Later workloads use the files of earlier ones."""

import os
import random
import shutil
import sqlite3
import subprocess
import threading

BLOCK = 1 << 20


def read_file(path, limit=None):
    buffer = bytearray(BLOCK if limit is None else limit)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer) and limit is None:
            pass


def copy_file(source, target, sync=True, stop=None):
    """Copies a file, or the part that is copied before `stop` is set."""
    buffer = bytearray(BLOCK)
    view = memoryview(buffer)
    with open(source, "rb", buffering=0) as file, open(target, "wb", buffering=0) as copy:
        while not (stop and stop.is_set()) and (count := file.readinto(buffer)):
            copy.write(view[:count])
        if sync:
            os.fsync(copy.fileno())


def files(path):
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in sorted(names)]


def shell(command):
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def write_big(path, materials):
    copy_file(materials.big, f"{path}/big")


def import_photos(path, materials):
    shell(f"cp -r {materials.photos} {path}/ && sync -f {path}/photos")


def in_parallel(parts, work):
    threads = [threading.Thread(target=work, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def import_in_parallel(path, materials):
    os.mkdir(f"{path}/parallel")
    albums = [f"{materials.photos}/{name}" for name in sorted(os.listdir(materials.photos))]
    in_parallel([albums[part::4] for part in range(4)], lambda part: shell(f"cp -r {' '.join(part)} {path}/parallel/"))
    shell(f"sync -f {path}/parallel")


def create_small(path, materials):
    data = os.urandom(4096)
    for number in range(2000):
        folder = f"{path}/small/{number // 500}"
        if number % 500 == 0:
            os.makedirs(folder)
        with open(f"{folder}/file{number}", "wb") as file:
            file.write(data)


def append_and_sync(path, materials):
    file = os.open(f"{path}/log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for _ in range(200):
        os.write(file, b"x" * 512)
        os.fsync(file)
    os.close(file)


def walk(path, materials):
    for file in files(path):
        os.lstat(file)


def read_big(path, materials):
    read_file(f"{path}/big")


def read_photos(path, materials):
    for file in files(f"{path}/photos"):
        read_file(file)


def read_in_parallel(path, materials):
    everything = files(f"{path}/parallel")
    in_parallel([everything[part::4] for part in range(4)], lambda part: [read_file(file) for file in part])


def random_offsets(file, size, count, seed):
    numbers = random.Random(seed)
    blocks = os.fstat(file).st_size // size
    return [numbers.randrange(blocks) * size for _ in range(count)]


def random_reads(path, materials, size=4096, count=4000):
    file = os.open(f"{path}/big", os.O_RDONLY)
    for offset in random_offsets(file, size, count, 3):
        os.pread(file, size, offset)
    os.close(file)


def seek_in_video(path, materials):
    random_reads(path, materials, 256 << 10, 400)


def random_writes(path, materials):
    file = os.open(f"{path}/big", os.O_RDWR)
    data = os.urandom(4096)
    for offset in random_offsets(file, 4096, 4000, 4):
        os.pwrite(file, data, offset)
    os.fsync(file)
    os.close(file)


def unpack(path, materials):
    shell(f"tar -C {path} -xf {materials.archive}")


def clone(path, materials):
    shell(f"git clone -q {materials.repository} {path}/clone")


def settle_clone(path, materials):
    """Lets Git read files again that are as new as its index, because their number depends on the speed of the
    clone."""
    status(path, materials)


def status(path, materials):
    shell(f"git -C {path}/clone status")


def synchronize_changes(path, materials):
    # A tenth of the photos gets another time, so that rsync sends them again.
    for number, file in enumerate(files(f"{path}/photos")):
        if number % 10 == 0:
            os.utime(file, (1, 1))
    shell(f"rsync -a {materials.photos}/ {path}/photos/")


def fill_album(path, materials):
    os.mkdir(f"{path}/album")
    data = os.urandom(96 << 10)
    for number in range(5000):
        with open(f"{path}/album/IMG_{number:05}.jpg", "wb", buffering=0) as file:
            file.write(data)


def open_album(path, materials):
    for entry in sorted(os.scandir(f"{path}/album"), key=lambda entry: entry.name):
        entry.stat()
        read_file(entry.path, 64 << 10)


def database(path, materials):
    connection = sqlite3.connect(f"{path}/catalog.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE photo(id INTEGER PRIMARY KEY, name TEXT, hash BLOB)")
    for batch in range(100):
        connection.execute("BEGIN")
        for number in range(50):
            connection.execute("INSERT INTO photo(name, hash) VALUES(?, ?)", (f"{batch}/{number}", os.urandom(32)))
        connection.execute("COMMIT")
    connection.close()


def read_while_importing(path, materials):
    """Reads all photos while a writer works."""
    stop = threading.Event()

    def write():
        number = 0
        while not stop.is_set():
            copy_file(materials.big, f"{path}/other{number % 2}", sync=False, stop=stop)
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        read_photos(path, materials)
    finally:
        stop.set()
        writer.join()


def remove_small(path, materials):
    shutil.rmtree(f"{path}/small")


def import_pictures(path, materials):
    shell(f"cp -r {materials.pictures} {path}/ && sync -f {path}/pictures")
