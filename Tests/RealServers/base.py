"""What programs have in common: packages, processes, and lists with their truth."""

import contextlib
import os
import pathlib
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from typing import NamedTuple

from gate import Gate
from shelf import Shelf

INSTALL = str(pathlib.Path(__file__).resolve().parents[2] / ".ci/install")


class Listing(NamedTuple):
    """One list of a program. The recipe that a user writes by hand calls its feed `name`."""

    name: str
    target: str  # the path and query of the URL that `tsugi probe` gets
    shelf: object  # the truth: rows(), insert(), delete(identity)
    size: int  # the most items of a page: the least number of calls follows from it
    recipe: dict  # the source by hand, without what all have
    rises: bool = False  # whether the oldest comes first


class Program:
    """A program of other people. `start` serves a few hundred items, and yields its lists."""

    name = ""
    # Requirements with versions from PyPI, or packages of Debian; the first names the version.
    pypi = debian = ()

    def __init__(self, folder):
        self.folder = self.cwd = folder
        self.port, self.processes = free_port(), contextlib.ExitStack()
        self.gate = Gate(self.port)
        self.env = {**os.environ, "DATABASE": f"{folder}/database.sqlite",
                    "DEBIAN_FRONTEND": "noninteractive"}

    def install(self):
        """Installs the packages; returns the version."""
        if self.pypi:
            self.run(sys.executable, "-m", "venv", "venv")
            self.run("venv/bin/pip", "install", "--quiet", *self.pypi)
            return self.pypi[0].split("==")[1]
        self.run(INSTALL, *self.debian)
        return self.run("dpkg-query", "-W", "-f", "${Version}", self.debian[0])

    def run(self, *command):
        """The output of a command."""
        return subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900,
            check=True, cwd=self.cwd, env=self.env).stdout

    def spawn(self, *command, target=None):
        """Starts a process that ends with the program, and waits until a target is answered."""
        url = target and f"http://127.0.0.1:{self.port}{target}"
        log = f"{self.folder}/{os.path.basename(command[0])}.log"
        self.processes.enter_context(serving(command, log, url, cwd=self.cwd, env=self.env))

    def execute(self, statement):
        """Executes a statement on the file that the program has open too."""
        path = self.env["DATABASE"]
        with contextlib.closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as file:
            return file.execute(statement).fetchall()

    def articles(self, count, **options):
        """A new file with a table of articles."""
        self.execute("PRAGMA journal_mode = WAL")
        self.execute("CREATE TABLE articles "
                     "(id INTEGER PRIMARY KEY, title TEXT, score INTEGER, created TEXT)")
        row = "VALUES ({id}, 'Article {id}', {id} % 7, '{made}')"
        return Shelf(self.execute, "articles", row, **options).fill(count)


def free_port():
    """A port of this machine at which a process can listen."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@contextlib.contextmanager
def serving(command, log, url, **options):
    """A process, from when it answers a URL until it is ended. Its output goes to a file."""
    with open(log, "w+", encoding="utf-8") as file, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, **options) as process:
        deadline = time.monotonic() + 60
        try:
            while url:
                with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=30):
                    break
                if process.poll() is not None or time.monotonic() > deadline:
                    file.seek(0)
                    raise ChildProcessError(f"{url} is not answered: {file.read()[-2000:]}")
                time.sleep(0.1)
            yield
        finally:
            process.terminate()
