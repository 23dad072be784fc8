#!/usr/bin/env python3
"""ceph.py COMMAND...: runs a command beside a Ceph, which it starts before and stops after the command.

The Ceph has one machine on the loopback interface, with authentication (cephx), two S3 gateways to the same buckets,
and a CephFS that two clients have mounted, as two machines would. Its files are in a folder below $TMPDIR, which is
deleted. Needs root, and Debian's packages ceph-common, ceph-fuse, ceph-mds, ceph-mgr, ceph-mon, ceph-osd and radosgw.

The command gets these variables:
  AGONYFS_TEST_S3      ENDPOINT,ENDPOINT,ACCESS-KEY,SECRET-KEY: the gateways. There are the buckets `photos`, and
                       `small`, which takes one object only.
  AGONYFS_TEST_CEPHFS  FOLDER:FOLDER: where the two clients have mounted the same file system
  AGONYFS_TEST_CEPH    the settings of this Ceph. With them (-c) the programs of Ceph have an administrator's rights, so
                       a test can also start a client of its own, and kill that one. The metadata server is `mds.a`.

Exits with the status of the command, or with 1 when the Ceph could not be started or a part of it ended too soon.
"""

import base64
import email.utils
import hmac
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

# Seconds to wait for one step of the start; a busy machine needs half a minute for some of them.
PATIENCE = 300
SETTINGS = """
[global]
fsid = {fsid}
mon_host = [v2:127.0.0.1:{ports[0]},v1:127.0.0.1:{ports[1]}]
mon_initial_members = a
public_addr = 127.0.0.1
ms_bind_ipv6 = false
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
auth_allow_insecure_global_id_reclaim = false
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
osd_objectstore = bluestore
osd_memory_target = 939524096
bluestore_block_size = 8589934592
bluestore_block_create = true
mgr_initial_modules =
rgw_enable_usage_log = false
mon_data = {folder}/mon
mgr_data = {folder}/mgr
osd_data = {folder}/osd
mds_data = {folder}/mds
rgw_data = {folder}/rgw
crash_dir = {folder}/crash
run_dir = {folder}/run
admin_socket = {folder}/run/$name.$pid
log_file = {folder}/log/$name
mon_cluster_log_file = {folder}/log/cluster
keyring = {folder}/keyring
"""
# What each part may do.
RIGHTS = {
    "mon.": ["mon", "allow *"],
    "client.admin": ["mon", "allow *", "osd", "allow *", "mgr", "allow *", "mds", "allow *"],
    "mgr.x": ["mon", "allow profile mgr", "osd", "allow *"],
    "osd.0": ["mon", "allow profile osd", "mgr", "allow profile osd", "osd", "allow *"],
    "mds.a": ["mon", "allow profile mds", "osd", "allow rwx", "mds", "allow *"],
    "client.rgw.a": ["mon", "allow rw", "osd", "allow rwx", "mgr", "allow rw"],
    "client.rgw.b": ["mon", "allow rw", "osd", "allow rwx", "mgr", "allow rw"],
}


class Failure(Exception):
    pass


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def answers(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


class Ceph:
    """A Ceph that runs until `stop` is called.

    `endpoints`, `key` and `secret` are those of the two gateways, `mounts` the folders of the two clients, and
    `configuration` is the file of settings for programs of Ceph.
    """

    key, secret = "AKIATEST", "test/secret+key"

    def __init__(self, has_files=False):
        """Starts the monitor, the manager, the disk and the gateways, and a CephFS with its clients if `has_files`."""
        # Ceph uses sockets there, whose paths may have no more than 107 bytes.
        self.folder, self.ports = tempfile.mkdtemp(prefix="ceph-"), free_ports(4)
        self.configuration = f"{self.folder}/ceph.conf"
        self.endpoints = [f"http://127.0.0.1:{port}" for port in self.ports[2:]]
        self.mounts = []
        # The parts that run, by name, in the order of their start.
        self.parts = {}
        try:
            self.start_store()
            self.start_gateways()
            if has_files:
                self.start_files()
        except BaseException:
            self.stop()
            raise

    def tool(self, program, *arguments):
        """Runs a program of Ceph to its end; returns its output."""
        try:
            done = subprocess.run(
                [program, *self.settings(program), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=PATIENCE, check=False)
        except FileNotFoundError:
            raise Failure(f"{program} is not installed; install the packages that this file names") from None
        except subprocess.TimeoutExpired:
            raise Failure(f"{program} {' '.join(arguments)} did not end within {PATIENCE} s") from None
        if done.returncode != 0:
            raise Failure(f"{program} {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def settings(self, program):
        return [] if program in ("ceph-authtool", "monmaptool") else ["-c", self.configuration]

    def start(self, name, program, *arguments):
        """Starts a part that goes on."""
        if shutil.which(program) is None:
            raise Failure(f"{program} is not installed; install the packages that this file names")
        with open(f"{self.folder}/log/{name}.output", "wb") as output:
            # In /, as systemd starts it: Debian 13's Ceph looks for its modules below the working directory.
            self.parts[name] = subprocess.Popen(
                [program, *self.settings(program), "-f", *arguments], stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, cwd="/")

    def ended(self):
        """A description of parts that have ended by themselves; empty if all run."""
        texts = []
        for name, part in self.parts.items():
            if part.poll() is not None:
                lines = []
                for log in (f"{name}.output", name):
                    try:
                        with open(f"{self.folder}/log/{log}", encoding="utf-8", errors="replace") as file:
                            lines += file.readlines()[-20:]
                    except OSError:
                        pass
                texts.append(f"{name} ended with {part.returncode}:\n{''.join(lines)}")
        return "".join(texts)

    def wait_for(self, event, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if text := self.ended():
                raise Failure(text)
            if time.monotonic() > deadline:
                raise Failure(f"{PATIENCE} s passed before {event}")
            time.sleep(0.2)

    def start_store(self):
        """Starts the parts that keep data."""
        for name in ("mon", "mgr", "osd", "mds", "rgw", "run", "log", "crash"):
            os.mkdir(f"{self.folder}/{name}")
        fsid = str(uuid.uuid4())
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(SETTINGS.format(fsid=fsid, ports=self.ports, folder=self.folder))
        keyring, monitors = f"{self.folder}/keyring", f"{self.folder}/monitors"
        self.tool("ceph-authtool", "--create-keyring", keyring)
        for name, rights in RIGHTS.items():
            words = [word for pair in zip(rights[::2], rights[1::2]) for word in ("--cap", *pair)]
            self.tool("ceph-authtool", keyring, "--gen-key", "-n", name, *words)
        self.tool(
            "monmaptool", "--create", "--fsid", fsid, "--addv", "a",
            f"[v2:127.0.0.1:{self.ports[0]},v1:127.0.0.1:{self.ports[1]}]", monitors)
        self.tool("ceph-mon", "-i", "a", "--mkfs", "--monmap", monitors, "--keyring", keyring)
        self.start("mon.a", "ceph-mon", "-i", "a")
        self.wait_for("the monitor answers", lambda: answers(self.ports[0]))
        # From the first keyring the monitor takes only its own key and that of the administrator.
        self.tool("ceph", "auth", "import", "-i", keyring)
        self.start("mgr.x", "ceph-mgr", "-i", "x")
        disk = str(uuid.uuid4())
        number = self.tool("ceph", "osd", "new", disk, "0").strip()
        self.tool("ceph-osd", "-i", number, "--mkfs", "--osd-uuid", disk)
        self.start(f"osd.{number}", "ceph-osd", "-i", number)
        self.wait_for("the disk is in use", lambda: "1 up" in self.tool("ceph", "osd", "stat"))

    def start_gateways(self):
        for name, port in zip("ab", self.ports[2:]):
            self.start(
                f"client.rgw.{name}", "radosgw", "-n", f"client.rgw.{name}",
                f"--rgw_frontends=beast endpoint=127.0.0.1:{port}")
            # One after the other, because the first makes what both use.
            self.wait_for("the gateway answers", lambda port=port: answers(port))
        self.tool(
            "radosgw-admin", "user", "create", "--uid=tester", "--display-name=tester", f"--access-key={self.key}",
            f"--secret-key={self.secret}")
        for bucket in ("photos", "small"):
            self.create(bucket)
        self.tool("radosgw-admin", "quota", "set", "--bucket=small", "--max-objects=1")
        self.tool("radosgw-admin", "quota", "enable", "--bucket=small")

    def create(self, bucket):
        """Creates a bucket, by a request with a signature of the older kind, which takes one line."""
        date = email.utils.formatdate(usegmt=True)
        code = hmac.digest(self.secret.encode(), f"PUT\n\n\n{date}\n/{bucket}".encode(), "sha1")
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[2], timeout=PATIENCE)
        authorization = f"AWS {self.key}:{base64.b64encode(code).decode()}"
        connection.request("PUT", f"/{bucket}", headers={"Date": date, "Authorization": authorization})
        reply = connection.getresponse()
        if reply.status != 200:
            raise Failure(f"the bucket {bucket} was not created: {reply.status} {reply.read()}")
        connection.close()

    def start_files(self):
        for pool in ("names", "contents"):
            self.tool("ceph", "osd", "pool", "create", pool, "8")
        self.tool("ceph", "fs", "new", "files", "names", "contents")
        # A client that died loses its session, and with it its locks, after 60 s. The default is 300 s.
        self.tool("ceph", "fs", "set", "files", "session_autoclose", "60")
        self.start("mds.a", "ceph-mds", "-i", "a")
        self.wait_for("the metadata server is active", lambda: "active" in self.tool("ceph", "mds", "stat"))
        for folder in (f"{self.folder}/one", f"{self.folder}/two"):
            os.mkdir(folder)
            self.mounts.append(folder)
            name = "client." + os.path.basename(folder)
            self.start(name, "ceph-fuse", "-n", "client.admin", f"--log-file={self.folder}/log/{name}", folder)
            self.wait_for("the file system is mounted", lambda folder=folder: os.path.ismount(folder))

    def stop(self):
        for folder in self.mounts:
            # A client that hangs must not hold this process: `os.path.ismount` would ask it.
            for words in (["umount"], ["umount", "-f", "-l"]):
                try:
                    subprocess.run([*words, folder], stderr=subprocess.DEVNULL, timeout=30, check=True)
                    break
                except subprocess.SubprocessError:
                    pass
        # Nothing of it is needed any more.
        for part in self.parts.values():
            part.kill()
        for part in self.parts.values():
            part.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    if len(sys.argv) < 2:
        sys.exit("ceph.py: a command is missing")
    if os.geteuid() != 0:
        sys.exit("ceph.py: run this as root, because only root can mount a CephFS for two clients")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        ceph = Ceph(has_files=True)
    except Failure as failure:
        sys.exit(f"ceph.py: {failure}")
    try:
        environment = dict(
            os.environ, AGONYFS_TEST_S3=",".join([*ceph.endpoints, ceph.key, ceph.secret]),
            AGONYFS_TEST_CEPHFS=":".join(ceph.mounts), AGONYFS_TEST_CEPH=ceph.configuration)
        status = subprocess.run(sys.argv[1:], env=environment, check=False).returncode
        if text := ceph.ended():
            sys.exit(f"ceph.py: {text}")
    finally:
        ceph.stop()
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
