"""What programs have in common: packages, processes, and lists with their truth."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field

from gate import Gate


class NotInstalled(Exception):
    """The packages of a program cannot be had on this machine."""


class NotStarted(Exception):
    """A program is installed and does not start."""


@dataclass
class Listing:
    """One list of a program. The recipe that a user writes by hand calls its feed `name`."""

    name: str
    # The path and query of the URL that `tsugi probe` gets.
    target: str
    # Holds the truth: rows(), insert(), delete(identity).
    shelf: object
    # The most items of a page: the least number of calls follows from it.
    size: int
    # The source by hand, without what all have.
    recipe: dict = field(default_factory=dict)
    # Whether the oldest comes first.
    rises: bool = False


def app(name):
    """The path of a file that a program is given."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "apps", name)


class Program:
    """A program of other people. `start` returns its lists once it answers."""

    name = ""
    # Requirements with versions from PyPI, or packages of Debian; the first names the version.
    pypi = ()
    debian = ()

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            self.port = server.getsockname()[1]
        self.gate = Gate(self.port)
        self.python = os.path.join(folder, "venv", "bin", "python")

    def path(self, *names):
        """A path in the program's own folder."""
        return os.path.join(self.folder, *names)

    def install(self):
        """Installs the packages; returns the version."""
        try:
            if self.pypi:
                self.run(sys.executable, "-m", "venv", self.path("venv"))
                self.run(self.python, "-m", "pip", "install", "--quiet", *self.pypi)
                return self.pypi[0].split("==")[1]
            query = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}\n", *self.debian]
            lines = subprocess.run(query, capture_output=True, text=True, check=False).stdout
            if lines.count("installed ") != len(self.debian) or "not-installed" in lines:
                self.run("apt-get", "install", "-y", "--no-install-recommends", *self.debian,
                         env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
            return self.run("dpkg-query", "-W", "-f", "${Version}", self.debian[0])
        except (OSError, NotStarted) as error:
            raise NotInstalled(str(error)) from error

    def start(self):
        """Fills in a few hundred items, starts to serve, and returns the lists."""
        raise NotImplementedError

    def run(self, *command, **options):
        """The output of a command."""
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=900, check=False,
                              **{"cwd": self.folder, **options})
        if done.returncode != 0:
            raise NotStarted(f"{command[0]} failed: {done.stdout[-2000:]}")
        return done.stdout

    def spawn(self, *command, **options):
        """Starts a process that ends with the program. Its output goes to a file."""
        with open(self.path(f"{len(self.processes)}.log"), "w", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                **{"cwd": self.folder, **options}))

    def wait(self, target):
        """Waits until the program answers 200."""
        for _ in range(300):
            if self.processes[-1].poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{target}", timeout=30):
                    return
            except OSError:
                time.sleep(0.2)
        with open(self.path(f"{len(self.processes) - 1}.log"), encoding="utf-8") as log:
            raise NotStarted(f"{target} is not answered: {log.read()[-2000:]}")

    def stop(self):
        """Ends its processes."""
        for process in reversed(self.processes):
            process.terminate()
            process.wait(timeout=60)
        self.gate.server.shutdown()
        self.gate.server.server_close()
