"""The peak memory of each program of agonyfs during scripts/bench --library, and its remaining processes. Also the sampler
that scripts/bench --remote uses.

1. A process of agonyfs belongs to a run if its arguments contain the run's folder, whose name is random, or if the run
   or a process that belongs to it started the process.
2. The kernel keeps the peak memory of a process only while it lives, so the last moments of short-lived processes are
   not measured.
"""

import os
import threading

# The seconds between two samples. A decoder lives for a tenth of a second or less.
PAUSE = 0.02
# The samples between two searches for new processes with the folder in their arguments.
SEARCH = 10


def with_folder(folder, programs=("agonyfs", "chrom")):
    """Processes with the folder in their arguments, and with one of these prefixes in their name: agonyfs, and the
    browser."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/comm", encoding="utf-8", errors="replace") as file:
                if not file.read().startswith(programs):
                    continue
            with open(f"/proc/{number}/cmdline", "rb") as file:
                if folder.encode() in file.read():
                    found.append(int(number))
        except OSError:
            continue
    return found


def children(process):
    """The children of a process."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        # A thread or the process has ended.
        pass
    return found


def tree(roots, belongs=lambda process: True):
    """The processes of `roots` and their descendants that belong. Below others it does not look."""
    found, waiting = set(), list(roots)
    while waiting:
        process = waiting.pop()
        if process not in found and belongs(process):
            found.add(process)
            waiting += children(process)
    return found


def facts(process):
    """The name of a process, with the command of agonyfs, and its peak memory in MiB."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:
            lines = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        name, most = lines["Name"], int(lines["VmHWM"].split()[0]) / 1024
        if name == "agonyfs":
            with open(f"/proc/{process}/cmdline", "rb") as file:
                name += " " + file.read().split(b"\0")[1].decode(errors="replace")
        return name, most
    except (OSError, KeyError, IndexError):
        # The process has ended.
        return None, 0


class Sampler:
    """Calls `look()` again and again in a thread, as a context manager."""

    def __init__(self):
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def look(self):
        raise NotImplementedError

    def watch(self):
        while not self.ending.is_set():
            self.look()
            self.ending.wait(PAUSE)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join()


class Memory(Sampler):
    """Samples all processes of a run."""

    def __init__(self, folder):
        super().__init__()
        self.folder, self.roots, self.count = folder, [], 0
        # The MiB of each process by program, and the processes with another name; `lock` guards both.
        self.found, self.names, self.lock = {}, {}, threading.Lock()

    def results(self):
        """For each program, the peak memory of one process in MiB, and the number of processes."""
        return {name: {"MiB": max(processes.values()), "processes": len(processes)}
                for name, processes in sorted(self.found.items())}

    def begin(self, process, name):
        """From now on counts a process as `name`, and resets its peak memory if this user is root."""
        with self.lock:
            try:
                with open(f"/proc/{process}/clear_refs", "w", encoding="ascii") as file:
                    file.write("5")
            except OSError:
                return
            self.names[process] = name

    def note(self, process):
        """Whether a process is one of agonyfs, whose memory is noted then. Others start the browser, or copy files."""
        name, most = facts(process)
        if not name or not name.startswith("agonyfs"):
            return False
        processes = self.found.setdefault(self.names.get(process, name), {})
        processes[process] = max(processes.get(process, 0), most)
        return True

    def look(self):
        if self.count % SEARCH == 0:
            self.roots = with_folder(self.folder, ("agonyfs",))
        self.count += 1
        with self.lock:
            tree([*self.roots, *children(os.getpid())], self.note)
