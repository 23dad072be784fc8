"""Attacks on what the machine keeps outside the vault, when nothing is mounted: pages in memory, and words that were typed."""

import fcntl
import os
import re
import select
import shutil
import struct
import subprocess
import termios

import program
from judgement import FEW, guess
from program import agonyfs, create_pair, segments, shell, use

GUIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Sources/agonyfs/agonyfs.docc/Guide.md")
# Of a file that is only looked at for a key.
PAGES_OF_A_LOOK = 4
# How bash asks for the next line.
READY = "ready> "


def cool(vault):
    """Has the kernel keep nothing of the vault's files in memory."""
    for path in segments(vault):
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def used_files(vault):
    """Of how many files more is in memory than a look for a key leaves."""
    pages = shell(f"find {vault}/segments -type f -exec fincore -nbo PAGES {{}} +").stdout.split()
    return sum(int(count) > PAGES_OF_A_LOOK for count in pages)


def lock(vault, password):
    """Uses a space and locks it, where the mounts and processes of others are not: they would go, too."""
    script = """
        types=$(awk '$3 ~ /^fuse/ {print $3}' /proc/mounts | sort -u | paste -sd ,)
        test -z "$types" || umount -al -t "$types"
        program() { LD_PRELOAD=$PRELOADED "$PROGRAM" "$@"; }
        program mount --thumbnails none --password-file "$1" "$0" Albums
        head -c 1000000 /dev/urandom > Albums/last
        program lock
        """
    environment = {**os.environ, "PROGRAM": program.PROGRAM, "PRELOADED": program.ENVIRONMENT.get("LD_PRELOAD", "")}
    alone = ["unshare", "-m", "-p", "-f", "--mount-proc", "--kill-child", "sh", "-ec", script, vault, password]
    done = subprocess.run(
        alone, capture_output=True, text=True, timeout=program.LIMIT, stdin=subprocess.DEVNULL, env=environment)
    assert done.returncode == 0, done


def page_cache(report):
    """Nothing is mounted, and the machine was not started again: of which files does the kernel have much in memory?"""
    unmounted, locked = [], []
    for hidden in (False, True) * FEW:
        create_pair(hidden, "disk/vault")
        cool("disk/vault")
        assert used_files("disk/vault") == 0
        use("disk/vault", "first", 1, "photo")
        if hidden:
            use("disk/vault", "hidden", 2, "secret")
        unmounted.append(used_files("disk/vault"))
        for password in ["first", "hidden"] if hidden else ["first"]:
            lock("disk/vault", password)
        locked.append(used_files("disk/vault"))
        shutil.rmtree("disk/vault")
    for command, numbers, declared in (("unmount", unmounted, True), ("lock", locked, False)):
        pairs = list(zip(numbers[::2], numbers[1::2]))
        report.line(f"files in memory after {command}", *guess(int, pairs, declared), declared=declared)


def lines_of_guide(command):
    """The command lines of the Guide that begin so, in its order; with little cover instead of much."""
    with open(GUIDE, encoding="utf-8") as file:
        lines = re.findall(rf"^\$ (agonyfs {command} .*)$", file.read(), re.M)
    assert lines, f"the Guide has no line for {command}"
    return [re.sub(r"\b\d+G\b", "8M", line) for line in lines]


class Terminal:
    """Somebody at bash in a terminal, whose home is `disk`."""

    def __init__(self):
        if not os.path.exists("tools"):
            os.mkdir("tools")
            with open("tools/agonyfs", "w", encoding="utf-8") as file:
                preloaded = program.ENVIRONMENT.get("LD_PRELOAD", "")
                file.write(f"#!/bin/sh\nLD_PRELOAD='{preloaded}' exec '{program.PROGRAM}' \"$@\"\n")
            os.chmod("tools/agonyfs", 0o755)
        self.history = os.path.abspath("history")
        environment = {
            "HOME": os.path.abspath("disk"), "HISTFILE": self.history, "PS1": READY, "TERM": "dumb",
            "PATH": f"{os.path.abspath('tools')}:{os.environ['PATH']}"}
        self.terminal, other = os.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("4H", 50, 500, 0, 0))
        bash = ["setsid", "--ctty", "bash", "--noprofile", "--norc", "--noediting", "-i"]
        self.process = subprocess.Popen(bash, stdin=other, stdout=other, stderr=other, env=environment)
        os.close(other)
        self.screen = ""
        assert self.waits(READY), self.screen

    def waits(self, text):
        """Waits until a text is shown, or bash asks for the next line: then it is false."""
        while text not in self.screen:
            if READY in self.screen:
                return False
            assert select.select([self.terminal], [], [], program.LIMIT)[0], self.screen
            self.screen += os.read(self.terminal, 4096).decode(errors="replace")
        self.screen = self.screen.split(text, 1)[1]
        return True

    def types(self, line, answers):
        """Types a line, and what it asks for: what is shown before each answer, and the answer."""
        os.write(self.terminal, f"{line}\n".encode())
        for question, answer in answers:
            if not self.waits(question):
                break
            os.write(self.terminal, f"{answer}\n".encode())
        self.waits(READY)

    def ends(self):
        """What the history has of it."""
        os.write(self.terminal, b"exit\n")
        try:
            # A terminal that no program has open any more gives an error instead of an end.
            while os.read(self.terminal, 4096):
                pass
        except OSError:
            pass
        self.process.wait(program.LIMIT)
        os.close(self.terminal)
        with open(self.history, encoding="utf-8") as file:
            kept = file.read()
        os.remove(self.history)
        return kept


def shell_history(report):
    """Two people follow the Guide: one makes a hidden space and later another one, the other makes none and adds cover of
    nobody. Whose history is which?"""
    commands = {command: sorted(set(lines_of_guide(command))) for command in ("create", "space add")}
    several = [lines for lines in commands.values() if len(lines) > 1]
    if several:
        return report.line("the shell's history", True, f"the Guide has several lines: {several}")
    kept = {}
    for hidden, other, new in ((False, "", ""), (True, "the hidden password", "the new password")):
        terminal = Terminal()
        terminal.types(
            commands["create"][0] + " --kdf interactive --segment-size 1M --cover 8M",
            [("New password for ", "the first password"), ("Repeat the password: ", "the first password"),
             ("another space, or nothing: ", other), ("Repeat the password: ", other)])
        terminal.types(
            commands["space add"][0],
            [("hands over cover, or nothing: ", ""), ("New password for ", new), ("Repeat the password: ", new)])
        kept[hidden] = terminal.ends()
        opened = [agonyfs("info", "--password-file", name, "disk/Vault", status=None).returncode == 0 for name in ("hidden", "new")]
        shutil.rmtree("disk/Vault")
        if opened != [hidden, hidden]:
            # Who has them needed other words.
            return report.line("the shell's history", True, f"other spaces open: {opened}, after {kept[hidden]!r}")
    return report.line("the shell's history", kept[False] != kept[True], f"without {kept[False]!r}, with {kept[True]!r}")
