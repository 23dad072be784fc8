#!/usr/bin/env python3
"""Measures the cost of decoder processes: decoder.py PICTURE COPIES ROUNDS JOBS,JOBS,… PROGRAM …

Makes both thumbnails of a picture COPIES times, one job after the other, with a new process after JOBS jobs; in each of
ROUNDS rounds for all numbers of jobs and all programs (paths of agonyfs-decoder). If f precedes a number, the jobs only
read the facts, given the small thumbnail. Prints the medians of elapsed time and of processor time for each picture, in
milliseconds.
"""
import os
import resource
import socket
import statistics
import struct
import subprocess
import sys
import time

DERIVE, INPUT, FACTS, ADMITTED, BEGINNING = 1, 3, 4, 12, 13
HELLO, READ, DERIVED, FACTS_MADE, ADMIT = 16, 17, 18, 21, 31


class Decoder:
    """A decoder process, used with the daemon's protocol (Sources/Media/Wire.swift)."""

    def __init__(self, program):
        self.socket, theirs = socket.socketpair()
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen([program], stdin=theirs, stdout=quiet, stderr=quiet, env={}, cwd="/")
        theirs.close()
        if self.receive()[0] != HELLO:
            sys.exit("the decoder does not start")

    def bytes(self, count):
        parts = []
        while count:
            part = self.socket.recv(count)
            if not part:
                sys.exit("the decoder has ended")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def receive(self):
        kind, count = struct.unpack("<II", self.bytes(8))
        return kind, self.bytes(count)

    def send(self, kind, body):
        self.socket.sendall(struct.pack("<II", kind, len(body)) + body)

    def derive(self, picture):
        self.send(DERIVE, struct.pack("<BBBq", 1, 1, 0, len(picture)))
        return self.answer(picture, DERIVED)

    def facts(self, picture, small):
        self.send(FACTS, struct.pack("<qI", len(picture), len(small)) + small)
        return self.answer(picture, FACTS_MADE)

    def answer(self, picture, wanted):
        self.send(BEGINNING, picture if len(picture) <= 1 << 20 else picture[: 256 << 10])
        while True:
            kind, body = self.receive()
            if kind == wanted:
                return body
            if kind == ADMIT:
                self.send(ADMITTED, b"")
                continue
            if kind != READ:
                sys.exit(f"the decoder gave message {kind}")
            offset, count = struct.unpack("<qI", body)
            self.send(INPUT, b"\0" + picture[offset : offset + count])

    def end(self):
        self.socket.close()
        self.process.wait()


def small_of(program, picture):
    """The small thumbnail, which the answer contains."""
    decoder = Decoder(program)
    answer = decoder.derive(picture)
    decoder.end()
    start = answer.index(b"\xff\xd8\xff")
    (count,) = struct.unpack_from("<I", answer, start - 4)
    return answer[start : start + count]


def run(program, picture, small, copies, jobs):
    """The seconds of elapsed time and of processor time for each picture."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    for first in range(0, copies, jobs):
        decoder = Decoder(program)
        for _ in range(min(jobs, copies - first)):
            decoder.derive(picture) if small is None else decoder.facts(picture, small)
        decoder.end()
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds / copies, processor / copies


def main(path, copies, rounds, jobs, *programs):
    picture = open(path, "rb").read()
    cases = [(os.path.abspath(program), count) for program in programs for count in jobs.split(",")]
    found = {case: [] for case in cases}
    for _ in range(int(rounds)):
        for program, count in cases:
            small = small_of(program, picture) if count.startswith("f") else None
            values = run(program, picture, small, int(copies), int(count.removeprefix("f")))
            found[program, count].append(values)
    for (program, count), values in found.items():
        time_ms, processor_ms = (statistics.median(column) * 1000 for column in zip(*values))
        print(f"{program}, {count} jobs for a process: {time_ms:.1f} ms, {processor_ms:.1f} ms of processor time")


main(*sys.argv[1:])
