"""The servers that scripts/bench --web compares: how to start, use and end each."""

import os
import re
import signal
import socket
import subprocess
import sys

from systems import System, most_memory, run, wait
from web_clients import Browser, Putter


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """A process that listens at `port`; its output goes to a file."""

    def __init__(self, name, folder, command, port, **environment):
        self.name, self.port, self.said = name, port, f"{folder}/{name}.said"
        self.output = open(self.said, "w", encoding="utf-8")
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output, start_new_session=True,
            env={**os.environ, **environment})
        wait(lambda: answers(port) or self.process.poll() is not None, f"{name} does not listen")
        if self.process.poll() is not None:
            raise SystemExit(f"{name} ended: {self.text()}")

    def text(self):
        with open(self.said, encoding="utf-8") as file:
            return file.read()

    def most_memory(self):
        """Its peak memory, in MiB."""
        return most_memory(self.process.pid)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()


class Serve(Server):
    """`agonyfs serve` on a vault."""

    def __init__(self, folder, agonyfs, web, vault):
        self.runtime = f"{folder}/run"
        os.mkdir(self.runtime, 0o700)
        self.codes = 0
        port = free_port()
        super().__init__("serve", folder, [agonyfs, "serve", "--listen", "127.0.0.1", "--port", str(port), vault], port,
                         AGONYFS_WEB=web, XDG_RUNTIME_DIR=self.runtime)

    def code(self):
        """The path and the secret of a new code."""
        def found():
            return re.findall(r"^https://[^/]*/(\w+)#(\w+)$", self.text(), re.M)
        if self.codes:
            self.process.send_signal(signal.SIGUSR1)
        wait(lambda: len(found()) > self.codes, "no code is shown")
        self.codes = len(found())
        return found()[-1]

    def browser(self, address="127.0.0.1"):
        return Browser(self.port, self.code(), address)

    def mount(self):
        """The mount point of the space."""
        with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as file:
            return next(line.split()[1] for line in file if line.split()[1].startswith(self.runtime))


class Copyparty(Server):
    """copyparty on a folder, without TLS and without its own encryption."""

    def __init__(self, name, folder, path):
        port = free_port()
        self.path = path
        home = f"{folder}/{name}.home"
        os.mkdir(home)
        super().__init__(
            name, folder,
            [f"{os.path.dirname(sys.executable)}/copyparty", "-q", "-i", "127.0.0.1", "-p", str(port), "--hist", home,
             "-v", f"{path}::rwmd"],
            port, HOME=home, XDG_CONFIG_HOME=home, PYTHONDONTWRITEBYTECODE="1")

    def client(self):
        return Putter(self.port)

    def upload_verified(self, files):
        """Uploads with copyparty's own client, which sends hashes that the server compares."""
        run(f"{os.path.dirname(sys.executable)}/u2c", "-j", "3", f"http://127.0.0.1:{self.port}/verified/", *files)


class Nginx(Server):
    """nginx with TLS on a folder."""

    def __init__(self, folder, path):
        port = free_port()
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem")
        user = "user root;" if os.geteuid() == 0 else ""
        with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
            file.write(f"""{user} worker_processes auto; daemon off; pid {folder}/nginx.pid; error_log stderr;
                events {{ worker_connections 512; }}
                http {{ access_log off; sendfile on; {self.temporary(folder)}
                  server {{ listen 127.0.0.1:{port} ssl; root {path};
                    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem; }} }}""")
        super().__init__("nginx", folder, ["/usr/sbin/nginx", "-e", "stderr", "-c", f"{folder}/nginx.conf"], port)

    @staticmethod
    def temporary(folder):
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        return " ".join(f"{kind}_temp_path {folder}/nginx-{kind};" for kind in kinds)


def filled_vault(folder, options, pictures, big):
    """A vault with photos and one large file, with all thumbnails made; the space is not mounted."""
    system = System("agonyfs", folder, options)
    system.create("--kdf", options.kdf)
    system.mount()
    try:
        run("cp", "-a", pictures, f"{system.path}/Photos")
        os.mkdir(f"{system.path}/Video")
        run("cp", big, f"{system.path}/Video/big.mp4")
        run(options.agonyfs, "thumbnails", system.path)
    finally:
        system.unmount()
    return system
