#!/usr/bin/env python3
"""declared.py: prints what the threat model declares to tell (*Host by host*), as its table has it.

`hosts.py` lets nothing else tell. `DocumentTests` compares the two.
"""

LOOKS = ("copy by rsync", "disk", "disk after a refresh")
# The words of the table, and how the names of features begin that they stand for.
WORDS = {
    "host's counters": "counter", "births": "birth", "change times": "change time", "change counts": "change counts", "inode numbers": "inode",
    "allocation groups": "allocation group", "allocation group of `agonyfs.json`": "allocation group of agonyfs.json",
    "places of files": "place", "order of listings": "offset",
}
REFRESHED = ["host's counters", "inode numbers", "places of files"]
DISK = REFRESHED + ["births", "change times", "change counts"]
DECLARED = {
    ("ext4", "disk"): DISK + ["allocation groups"],
    ("xfs", "disk"): DISK + ["allocation groups", "order of listings"],
    ("btrfs", "disk"): DISK + ["order of listings"],
    ("ext4", "disk after a refresh"): REFRESHED,
    ("xfs", "disk after a refresh"): REFRESHED + ["allocation group of `agonyfs.json`"],
    ("btrfs", "disk after a refresh"): REFRESHED,
}

if __name__ == "__main__":
    for host in ("ext4", "xfs", "btrfs"):
        for look in LOOKS:
            print(f"| {host} | {look} | {', '.join(DECLARED.get((host, look), ['nothing']))} |")
