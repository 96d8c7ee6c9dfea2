"""Servers to look at: tsugi itself, on free ports of this machine, with what they store gone after."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def free_port():
    """A port that nobody listens at."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class Servers:
    """Processes that end together."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="tsugi-explorer-")
        self.processes = []
        self.listings = []
        self.served = {}

    def close(self):
        """Ends all of them."""
        for listing in self.listings:
            listing.shutdown()
        for process in self.processes:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self.processes:
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *arguments):
        """Starts one command of tsugi."""
        self.processes.append(subprocess.Popen(
            [self.program, *arguments], cwd=self.folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return self.processes[-1]

    def demo(self, items=2000):
        """A demo's address."""
        port = free_port()
        self.start("serve", "--demo", "--demo-items", str(items), "--port", str(port))
        return wait(f"http://127.0.0.1:{port}")

    def upstream(self, *arguments):
        """The port of a simulated upstream."""
        port = free_port()
        self.start("simulate", "--port", str(port), *arguments)
        wait(f"http://127.0.0.1:{port}", "/api/v2/items?per_page=1")
        return port

    def serve(self, sources, server=None):
        """The address of a server over sources."""
        port = free_port()
        name = f"server{port}"
        configuration = {
            "server": {"port": port, "explorer": "all", **(server or {})},
            "store": {"path": f"{self.folder}/{name}.sqlite"}, "sources": sources}
        path = f"{self.folder}/{name}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(configuration, file)
        address = f"http://127.0.0.1:{port}"
        self.served[address] = (path, self.start("serve", "--config", path))
        return wait(address)

    def signal(self, address, number):
        """Sends the process of a served address a signal."""
        self.served[address][1].send_signal(number)

    def restart(self, address):
        """Kills the process of a served address; gives what starts it once more."""
        path, process = self.served[address]
        process.kill()
        process.wait()

        def start():
            self.served[address] = (path, self.start("serve", "--config", path))
            wait(address)
        return start

    def listing(self, items):
        """An API with any path over these items: its base URL, and the targets it was asked for."""
        asked = []

        class Handler(BaseHTTPRequestHandler):
            """Numbered pages: `{"hits": [...], "count": 812}`."""

            def do_GET(self):
                """Replies to a page."""
                asked.append(self.path)
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                number = lambda name, standard: int(query.get(name, [standard])[0])
                size = number("n", 100)
                begin = (number("p", 1) - 1) * size
                body = json.dumps({"hits": items[begin:begin + size], "count": len(items)})
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *words):
                """Says nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.listings.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}", asked

    def file(self, items):
        """A source of these items."""
        path = f"{self.folder}/items{free_port()}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(items, file)
        return {"kind": "file", "path": path}


def qiita(port, **rules):
    """A source that asks a simulated upstream."""
    return {"kind": "qiita", "baseURL": f"http://127.0.0.1:{port}/api/v2", "token": "any", **rules}


def listed(base, feeds):
    """A source that asks a listing for feeds."""
    pages = {"by": "page", "at": "p", "size": "n", "max": 100, "total": "count"}
    feeds = {name: {"items": "hits", "order": "-at", "time": "seconds", **rules}
             for name, rules in feeds.items()}
    return {"kind": "http", "baseURL": base, "pages": pages, "feeds": feeds}


def get(address, method="GET"):
    """What an address answers, as JSON where it is."""
    request = urllib.request.Request(address, method=method)
    with urllib.request.urlopen(request, timeout=30) as reply:
        body = reply.read()
        is_json = "json" in reply.headers.get("Content-Type", "")
        return json.loads(body) if is_json else body


def wait(address, path="/healthz"):
    """The address, once it answers."""
    for _ in range(400):
        try:
            urllib.request.urlopen(address + path, timeout=5).close()
            return address
        except (urllib.error.URLError, ConnectionError, socket.timeout):
            time.sleep(0.05)
    raise RuntimeError(f"{address} does not answer")
