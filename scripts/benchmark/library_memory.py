"""The most memory of each program of agonyfs during scripts/bench --library, and what is left of its processes.

1. A process of agonyfs belongs to a run if the run's folder, whose name is random, is in its arguments, or if one that belongs,
   or the run itself, started it.
2. The kernel keeps the most memory of a process while that lives; what a short-lived one takes in its last moments is not seen.
"""

import os
import threading

# Seconds between two looks. A decoder lives for some tenths of a second.
PAUSE = 0.02
# Looks after which new processes with the folder in their arguments are searched for.
SEARCH = 10


def with_folder(folder, programs=("agonyfs", "chrom")):
    """Processes in whose arguments the folder is, of programs whose names begin so: agonyfs, and the browser."""
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
    """Processes that a process started."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        # A thread or the process has ended.
        pass
    return found


def facts(process):
    """The name of a process, with the command of agonyfs that it is, and the most memory that it had, in MiB."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:
            lines = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        name, most = lines["Name"], int(lines["VmHWM"].split()[0]) / 1024
        if name == "agonyfs":
            with open(f"/proc/{process}/cmdline", "rb") as file:
                name += " " + file.read().split(b"\0")[1].decode(errors="replace")
        return name, most
    except (OSError, KeyError, IndexError):
        # It has ended.
        return None, 0


class Memory:
    """Looks at all processes of a run while it is entered."""

    def __init__(self, folder):
        self.folder = folder
        # MiB of each process of each program, and the names of those that have another one; both by `lock`.
        self.found, self.names, self.lock = {}, {}, threading.Lock()
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def results(self):
        """The most memory that one process of each program had, in MiB, and how many processes it had."""
        return {name: {"MiB": max(processes.values()), "processes": len(processes)}
                for name, processes in sorted(self.found.items())}

    def begin(self, process, name):
        """From now on a process is counted as `name`, without what it had before. Only root may have the kernel forget that."""
        with self.lock:
            try:
                with open(f"/proc/{process}/clear_refs", "w", encoding="ascii") as file:
                    file.write("5")
            except OSError:
                return
            self.names[process] = name

    def look(self, roots):
        known, waiting = set(), [*roots, *children(os.getpid())]
        while waiting:
            process = waiting.pop()
            name, most = facts(process)
            # Others are what starts the browser, and what copies.
            if process in known or not name or not name.startswith("agonyfs"):
                continue
            known.add(process)
            processes = self.found.setdefault(self.names.get(process, name), {})
            processes[process] = max(processes.get(process, 0), most)
            waiting += children(process)

    def watch(self):
        roots, count = [], 0
        while not self.ending.is_set():
            if count % SEARCH == 0:
                roots = with_folder(self.folder, ("agonyfs",))
            count += 1
            with self.lock:
                self.look(roots)
            self.ending.wait(PAUSE)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join()
