"""The compared file systems: how to create, mount and unmount each."""

import os
import shutil
import subprocess
import time

PASSWORD = "correct horse battery"
NAMES = ["plain", "floor", "gocryptfs", "securefs", "encfs", "cryfs", "agonyfs"]
# Another build of agonyfs in the same run.
BEFORE = "before"


def run(*command, text=None, **options):
    """Runs a command that must succeed."""
    done = subprocess.run(
        command, input=text, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr}")


class System:
    """A file system that keeps its bytes in `store` and shows its files at `path`."""

    def __init__(self, name, folder, programs):
        self.name = name
        self.programs = programs
        # The program, if this is a build of agonyfs.
        self.agonyfs = {"agonyfs": programs.agonyfs, BEFORE: programs.before}.get(name)
        self.store = f"{folder}/{name}.store"
        self.path = self.store if name == "plain" else f"{folder}/{name}.mount"
        self.password_file = f"{folder}/password"
        with open(self.password_file, "w") as file:
            file.write(PASSWORD + "\n")
        self.environment = dict(
            os.environ, CRYFS_FRONTEND="noninteractive", CRYFS_NO_UPDATE_CHECK="true",
            CRYFS_LOCAL_STATE_DIR=f"{folder}/cryfs-state")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.delete()

    def create(self, *options):
        """Creates an empty file system and replaces the last; `options` are for agonyfs."""
        self.delete()
        os.makedirs(self.store)
        os.makedirs(self.path, exist_ok=True)
        if self.name == "gocryptfs":
            run("gocryptfs", "-q", "-init", "-passfile", self.password_file, self.store)
        elif self.name == "securefs":
            run("securefs", "create", "--pass", PASSWORD, self.store, cwd="/")
        elif self.agonyfs:
            os.rmdir(self.store)
            run(self.agonyfs, "create", "--cover", "0", *options, "--password-file", self.password_file, self.store)

    def mount(self, *options):
        """Mounts it; returns when it is mounted."""
        if self.name == "plain":
            return
        if self.name == "floor":
            run(self.programs.floor, "-o", f"source={self.store},cache=auto", self.path)
        elif self.name == "gocryptfs":
            run("gocryptfs", "-q", "-passfile", self.password_file, self.store, self.path)
        elif self.name == "securefs":
            run("securefs", "mount", "-b", "--log", "/dev/null", "--pass", PASSWORD, self.store, self.path)
        elif self.name == "encfs":
            run("encfs", "--standard", "--stdinpass", self.store, self.path, text=PASSWORD + "\n")
        elif self.name == "cryfs":
            run("cryfs", self.store, self.path, text=PASSWORD + "\n", env=self.environment)
        else:
            run(self.agonyfs, "mount", *options, "--password-file", self.password_file, self.store, self.path)
        wait(lambda: os.path.ismount(self.path), f"{self.path} is not mounted")

    def password_seconds(self):
        """The time of deriving the key, measured with a wrong password: agonyfs derives the key, rejects it and
        exits."""
        command = [self.agonyfs, "mount", "--password-file", "/dev/stdin", self.store, self.path]
        return timed(lambda: subprocess.run(command, input="wrong\n", text=True, stderr=subprocess.DEVNULL, check=False))

    def unmount(self):
        """Unmounts it; returns when everything is flushed and the process has ended."""
        if self.name == "plain" or not os.path.ismount(self.path):
            return
        process = self.process()
        tool = "fusermount" if self.name in ("encfs", "cryfs", "securefs") else "fusermount3"
        tool = tool if shutil.which(tool) else "fusermount3"

        def ended():
            return subprocess.run([tool, "-u", self.path], stderr=subprocess.DEVNULL).returncode == 0

        wait(ended, f"{self.path} cannot be unmounted")
        wait(lambda: process is None or not os.path.exists(f"/proc/{process}"), f"{self.name} does not end")

    def delete(self):
        """Unmounts it and deletes everything."""
        self.unmount()
        if self.name == "cryfs":
            # CryFS remembers the store at a path and rejects another one there.
            shutil.rmtree(self.environment["CRYFS_LOCAL_STATE_DIR"], ignore_errors=True)
        shutil.rmtree(self.store, ignore_errors=True)
        if self.path != self.store and os.path.isdir(self.path):
            os.rmdir(self.path)

    def process(self):
        """The ID of its process; None if there is none."""
        found = None
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/cmdline", "rb") as file:
                    arguments = file.read().split(b"\0")
            except OSError:
                continue
            # If several processes have the path in their arguments, the last one started serves it.
            if self.path.encode() in arguments and int(number) != os.getpid():
                found = max(found or 0, int(number))
        return found

    def processor_seconds(self):
        """The processor time of its process so far."""
        process = self.process()
        if process is None:
            return 0.0
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        """The resident memory of its process."""
        process = self.process()
        if process is None:
            return 0
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def stored_bytes(self):
        """The bytes of its files."""
        return sum(
            os.lstat(os.path.join(folder, name)).st_size
            for folder, _, names in os.walk(self.store) for name in names)


def most_memory(process):
    """The peak memory of a process, in MiB."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024


def timed(function, *arguments):
    """The seconds that a function takes."""
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def wait(condition, message, seconds=120):
    """Waits until a condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(message)
        time.sleep(0.002)
