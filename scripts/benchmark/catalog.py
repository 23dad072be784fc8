#!/usr/bin/env python3
"""Measures the catalog beside what people use for the same questions, in one run.

First files: the program's commands on a mounted vault against exiftool and find on the same photos. Then records:
SQLite databases as digiKam and Shotwell make them, and with --ours the catalog of a space, all three with the same
records. digiKam and Shotwell themselves are not run, because they need a screen: what they do beyond their databases is
not in the figures. Ends with status 1 if answers differ.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import catalog_databases
import catalog_files
import report
from systems import System

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/bench --catalog", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Milliseconds, smaller is better; ratios say how many times as long the others take.")
    parser.add_argument("--photos", type=int, default=2000, help="number of photos, or 0 for none (default: 2000)")
    parser.add_argument("--records", type=int, default=100_000, help="number of records, or 0 (default: 100000)")
    parser.add_argument("--ours", metavar="PATH", help="also run this build of catalog-space-bench")
    parser.add_argument("--folder", help="working folder (default: a new temporary one)")
    parser.add_argument("--agonyfs", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.agonyfs:
        parser.error("--agonyfs PROGRAM is missing; scripts/bench --catalog gives it")
    # System also expects another build, which is not used here.
    options.before = None
    return options


def stop(number, _):
    sys.exit(128 + number)


def clean(system, folder):
    """Ends the mount, even one that is only starting, and deletes everything."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    end = time.monotonic() + 60
    while (process := system.process()) is not None:
        # The mount flushes and unmounts. If it does not in time, it is killed, because nothing in the folder is needed.
        try:
            os.kill(process, signal.SIGTERM if time.monotonic() < end else signal.SIGKILL)
        except ProcessLookupError:
            pass
        time.sleep(0.1)
    if os.path.ismount(system.path):
        subprocess.run(["fusermount3", "-u", "-z", system.path], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def main():
    options = arguments()
    for number in SIGNALS:
        signal.signal(number, stop)
    folder = tempfile.mkdtemp(prefix="agonyfs-catalog-", dir=options.folder)
    system = System("agonyfs", folder, options)
    try:
        facts = report.machine(options)
        wrong = []
        if options.photos:
            wrong += catalog_files.run(system, folder, options.photos)
        if options.records:
            wrong += catalog_databases.run(folder, options.records, options.ours, options.agonyfs)
    finally:
        clean(system, folder)
    del facts["packages"]
    report.show(facts)
    if wrong:
        raise SystemExit("\n".join(["THE ANSWERS DIFFER, so the figures compare nothing:", *wrong]))


main()
