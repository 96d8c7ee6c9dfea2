"""What is measured, and by what: processes on cores of their own, a simulator, servers, their
listeners, a PostgreSQL. All end with the bench."""

import contextlib
import glob
import http.client
import itertools
import json
import os
import pwd
import re
import resource
import selectors
import socket
import subprocess
import tempfile
import time
import urllib.request

SERVER_CORE, LOAD_CORE = "0", "1"
# Nothing is asked for again, ahead of a reader or too often.
FREE = {"freshSeconds": 80_000, "staleSeconds": 90_000, "recheckSeconds": 80_000,
        "refreshSeconds": 0, "prefetchItems": 0, "reserveCalls": 0, "newFeedShare": 1}
# `v` makes another feed of the same list for each of its values: the simulator does not read it.
LIST = {"items": "items", "order": "-created_at", "updated": "updated_at", "allow": ["v"],
        "pages": {"by": "offset", "size": "size", "total": "total"}}


class Bench(contextlib.ExitStack):
    """A temporary folder and processes. All of it ends with the bench."""

    def __init__(self, tsugi):
        super().__init__()
        self.tsugi = tsugi
        self.folder = self.enter_context(tempfile.TemporaryDirectory(prefix="tsugi-growth-"))
        # The user of PostgreSQL comes through it.
        os.chmod(self.folder, 0o711)

    def spawn(self, core, *command):
        """A process on a core, and the URL that it prints first."""
        with tempfile.NamedTemporaryFile("w+", dir=self.folder, delete=False) as log:
            process = subprocess.Popen(
                ["setsid", "taskset", "-c", core, *command],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            self.callback(end, process)
            for _ in range(1200):
                log.seek(0)
                text = log.read()
                if url := re.search(r'(http://127\.0\.0\.1:\d+)["/]', text):
                    return process, url[1]
                if process.poll() is not None:
                    break
                time.sleep(0.05)
            raise ChildProcessError(f"{command} does not start: {text[-2000:]}")

    def upstream(self, *options):
        """The URL of a simulator."""
        return self.spawn(LOAD_CORE, self.tsugi, "simulate", "--face", "offset", "--port", "0",
                          "--budget", "1000000", *options)[1]

    def small_items(self, count):
        """The URL of a simulator with items of 250 bytes, one a minute, oldest first in the
        file: where each comes after those before it, the simulator is ready soonest."""
        path = f"{self.folder}/items.json"
        with open(path, "w", encoding="utf-8") as file:
            for number in range(count):
                at = time.strftime("%FT%TZ", time.gmtime(1_577_836_800 + 60 * number))
                item = {"id": f"{number * 0x9E3779B97F4A7C15 % 2 ** 64:020x}", "created_at": at,
                        "updated_at": at, "title": f"Article {number}", "body": "x" * 80,
                        "user": {"id": "somebody"}, "tags": []}
                file.write(("," if number else "[") + json.dumps(item))
            file.write("]")
        return self.upstream("--data", path)


class Server:
    """A `tsugi serve` with an empty store, which has opened a feed of the source `warm`."""

    def __init__(self, bench, upstream, item="", **store):
        self.folder = tempfile.mkdtemp(dir=bench.folder)
        feed = {**LIST, "item": item}
        source = {"kind": "http", "baseURL": upstream, "feeds": {"items": feed}, **FREE}
        configuration = {
            "sources": {"api": source, "warm": source},
            "store": {"path": f"{self.folder}/store.sqlite", "maxFeeds": 20_000, **store},
            "server": {"newFeedsPerMinute": 0, "maxConnections": 12_000}}
        path = f"{self.folder}/config.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(configuration, file)
        self.process, origin = bench.spawn(
            SERVER_CORE, bench.tsugi, "serve", "--config", path, "--port", "0")
        self.address = "127.0.0.1", int(origin.rpartition(":")[2])
        self.connection = http.client.HTTPConnection(*self.address, timeout=60)
        self.get("/v1/warm/items?fields=id")
        self.seconds_at_start, self.resident_at_start = self.seconds(), self.resident()

    def get(self, target):
        """The body of a reply."""
        self.connection.request("GET", target)
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise ConnectionError(f"{response.status} for {target}: {body[:500]}")
        return body

    def clock(self):
        """The processor time so far: utime and stime of /proc/PID/stat, but in nanoseconds. The
        clock of a process has the number that clock_getcpuclockid(3) gives."""
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def seconds(self):
        """The processor time so far, once what was begun has ended."""
        before = 0
        for _ in range(50):
            now = self.clock()
            if now - before < 0.002:
                break
            before = now
            time.sleep(0.2)
        return now

    def resident(self):
        """The bytes of memory that it has."""
        with open(f"/proc/{self.process.pid}/statm", encoding="utf-8") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def stop(self):
        """Ends it. Returns the bytes of its store's files."""
        self.connection.close()
        end(self.process)
        return sum(map(os.path.getsize, glob.glob(f"{self.folder}/store.sqlite*")))


def end(process):
    """Ends a process, at the latest after ten seconds."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def database(bench):
    """Starts a PostgreSQL, which ends with the bench. Returns a function that makes a database,
    and returns its URL."""
    programs = max(glob.glob("/usr/lib/postgresql/*/bin"))
    folder = tempfile.mkdtemp(dir=bench.folder)
    # It refuses to run as root.
    owner = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    if owner:
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    def run(program, *arguments):
        subprocess.run([*owner, f"{programs}/{program}", *arguments], check=True, cwd="/",
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    run("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "tsugi", "-N")
    bench.callback(run, "pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "-w", "stop")
    run("pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "start", "-o",
        f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off")
    origin, numbers = f"postgresql://tsugi@127.0.0.1:{port}", itertools.count()

    def new():
        name = f"growth{next(numbers)}"
        run("psql", f"{origin}/postgres", "-qc", f"CREATE DATABASE {name}")
        return f"{origin}/{name}"

    return new


def calls_left(upstream):
    """What the simulator says is left of its budget, once this call is made."""
    with urllib.request.urlopen(f"{upstream}/items?size=1") as response:
        return int(response.headers["rate-remaining"])


class Listeners:
    """Connections that receive the events of a feed."""

    def __init__(self, bench, server, feed):
        self.bench, self.server, self.feed, self.count = bench, server, feed, 0
        self.selector = bench.enter_context(selectors.DefaultSelector())

    def add(self, count):
        """Opens more of them, some at a time, each until the server has sent where it begins."""
        request = f"GET {self.feed.replace('?', ':events?')} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        for first in range(0, count, 20):
            peers = [self.bench.enter_context(socket.create_connection(self.server.address))
                     for _ in range(first, min(first + 20, count))]
            for peer in peers:
                peer.sendall(request.encode())
            for peer in peers:
                head = b""
                while b"\nid: " not in head:
                    head += (part := peer.recv(65536))
                    if not part or b" 200 OK\r\n" not in head:
                        raise ConnectionError(f"a listener is refused: {head}")
                self.selector.register(peer, selectors.EVENT_READ)
        self.count += count

    def look(self):
        """Has the server look at an upstream that has changed. Returns the processor time of that,
        and how many events all listeners received."""
        begin = self.server.clock()
        self.server.get(f"{self.feed}&limit=1&refresh=true")
        events = self.receive()
        return self.server.clock() - begin, events

    def receive(self):
        """How many events come until each listener has some, and for a moment nothing more does.
        An event has two objects: itself and its item."""
        reached, braces = set(), 0
        while ready := self.selector.select(1 if len(reached) < self.count else 0.02):
            for key, _ in ready:
                data = key.fileobj.recv(65536)
                if not data:
                    raise ConnectionError("the connection of a listener was closed")
                reached.add(key.fd)
                braces += data.count(b"{")
        return braces // 2
