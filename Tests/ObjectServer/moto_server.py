"""Moto's object store with a bucket on the loopback interface. Prints its port, and ends with standard input."""

import sys
import urllib.request

from moto.server import ThreadedMotoServer


def main():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/photos", method="PUT")).close()
    print(port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
