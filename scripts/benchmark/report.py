"""Medians, ratios, and the description of the machine."""

import json
import os
import platform
import statistics
import subprocess


def machine(programs):
    """The processor, the kernel and the versions."""
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")

    def version(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        lines = (done.stdout + done.stderr).strip().splitlines()
        return lines[0] if lines else "unknown"

    packages = {}
    for name in ("gocryptfs", "securefs", "encfs", "cryfs", "libfuse3-3"):
        done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True)
        if done.returncode == 0:
            packages[name] = done.stdout
    return {
        "processor": model, "processors": os.cpu_count(), "kernel": platform.release(),
        "agonyfs": version(programs.agonyfs, "--version"), "packages": packages, "load": os.getloadavg()[0],
    }


def show(facts, rounds=None, results=None, path=None):
    """Prints the machine, and writes all results to `path` if it is given."""
    print("\n" + ", ".join(f"{key}: {value}" for key, value in facts.items()))
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"machine": facts, "rounds": rounds, "results": results}, file, indent=1)


def verdict(ratio, bound):
    return f"{ratio:.2f}, {'within' if ratio <= bound else 'ABOVE'} the bound {bound}"


def medians(times):
    """The medians by workload and system."""
    return {work: {system: statistics.median(values) for system, values in row.items()} for work, row in times.items()}


def table(times, systems):
    """A table with a row for each workload: the seconds of each system, and how many times faster than others agonyfs
    is."""
    width = max(map(len, times)) + 2
    compared = ["best peer", "gocryptfs"] + ["before"] * ("before" in systems)
    lines = [" " * width + "".join(f"{name:>11}" for name in [*systems, *compared])]
    for work, row in medians(times).items():
        cells = "".join(f"{row[name]:11.3f}" if name in row else f"{'-':>11}" for name in systems)
        peers = [value for name, value in row.items() if name not in ("plain", "floor", "agonyfs", "before")]
        own = row.get("agonyfs")
        row["best peer"] = min(peers) if peers else None
        ratios = [row.get(name) for name in compared]
        cells += "".join(f"{value / own:10.2f}x" if value is not None and own else f"{'-':>11}" for value in ratios)
        lines.append(f"{work:<{width}}{cells}")
    return "\n".join(lines)
