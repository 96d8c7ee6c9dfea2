"""The program under test: its commands, and a walk along `next`."""

import contextlib
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

# Rates are not tested here.
FREE = {"reserveCalls": 0, "newFeedShare": 1, "rate": {"calls": 1_000_000, "seconds": 1}}
# Makes changes visible within seconds.
EAGER = {**FREE, "freshSeconds": 1, "recheckSeconds": 1, "refreshSeconds": 0}
WALK_SECONDS = 60


class Tsugi:
    """Runs the program in a folder."""

    def __init__(self, program, folder):
        self.program, self.folder, self.stores = program, folder, 0

    def run(self, *arguments):
        """The exit code of a command, its standard output, its standard error."""
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              cwd=self.folder, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def probe(self, url):
        """The configuration that `tsugi probe` prints, None if it refuses, and its messages."""
        code, output, messages = self.run("probe", url)
        return (json.loads(output) if code == 0 else None), messages

    def check(self, configuration):
        """What `tsugi check --probe` finds wrong; empty if nothing."""
        code, output, messages = self.run(
            "check", "--probe", "--config", self.write(configuration))
        return "" if code == 0 else messages or output

    def write(self, configuration, policy=FREE):
        """The path of a file with a configuration, which gets a new store."""
        self.stores += 1
        name = os.path.join(self.folder, f"server{self.stores}")
        sources = {key: {**source, **policy} for key, source in configuration["sources"].items()}
        with open(f"{name}.json", "w", encoding="utf-8") as file:
            json.dump({"sources": sources, "store": {"path": f"{name}.sqlite"},
                       "server": {"newFeedsPerMinute": 0}}, file)
        return f"{name}.json"

    @contextlib.contextmanager
    def serving(self, configuration, feed, policy=FREE):
        """Starts a server with an empty store, and gives the URL of a feed."""
        path = self.write(configuration, policy)
        with open(f"{path}.log", "w+", encoding="utf-8") as log:
            server = subprocess.Popen([self.program, "serve", "--config", path, "--port", "0"],
                                      cwd=self.folder, stdout=subprocess.DEVNULL, stderr=log)
            try:
                for _ in range(400):
                    log.seek(0)
                    if found := re.search(r'"message":"listening","url":"([^"]*)"', log.read()):
                        break
                    time.sleep(0.05)
                source = next(iter(configuration["sources"]))
                yield f"{found[1]}/v1/{source}/{feed}"
            finally:
                server.terminate()
                server.wait()


def get(url):
    """The status and the JSON of a response."""
    try:
        with urllib.request.urlopen(url, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def walk(url):
    """Follows `next` to the end, and waits where the server asks for it: the items, the set of
    proofs, and why it ended, which is `end` at the end of a list without a gap."""
    items, proofs, gaps, origin = [], set(), 0, re.match(r"https?://[^/]*", url)[0]
    deadline, target = time.monotonic() + WALK_SECONDS, f"{url}?limit=100"
    while time.monotonic() < deadline:
        status, reply = get(target)
        if status in (429, 503, 504):
            time.sleep(min(reply.get("retryAfterSeconds", 1), 5))
            end = f"{status} for {WALK_SECONDS} s"
            continue
        if status != 200:
            return items, proofs, f"{status} {reply.get('code')}"
        items += reply["items"]
        proofs.add(reply.get("proof"))
        gaps += reply["gap"] is not None
        end = f"{WALK_SECONDS} s"
        if not reply["next"]:
            return items, proofs, f"{gaps} gaps" if gaps else reply["endReason"]
        target = origin + reply["next"]
    return items, proofs, end
