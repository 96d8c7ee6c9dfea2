"""What is played with one list: at rest, under a writer, after an insert, after a deletion."""

import contextlib
import json
import math
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from base import free_port, serving
from shelf import Writer

# Rates are not tested here.
FREE = {"reserveCalls": 0, "newFeedShare": 1, "rate": {"calls": 1_000_000, "seconds": 1}}
# Makes changes visible within seconds.
EAGER = {**FREE, "freshSeconds": 1, "recheckSeconds": 1, "refreshSeconds": 0}
SEEDS, SEEN_SECONDS, WALK_SECONDS = (1, 2, 3), 40, 60
# What is younger than `settleSeconds` and one second may still be kept back.
SETTLED_SECONDS = 4
# From weak to strong. Under the first two an item may be missing while a writer writes.
PROOFS = ("none", "upstream", "count", "whole", "sight", "value")


def run(*command):
    """The standard output of a command of the program under test; None if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    sys.stderr.write(done.stderr)
    return done.stdout if done.returncode == 0 else None


class Play:
    """Plays a list under one configuration, with a program `tsugi` in a folder. `row` is what was
    found, and `faults` are promises that were broken."""

    def __init__(self, tsugi, program, listing, configuration):
        self.tsugi, self.folder, self.gate = tsugi, program.folder, program.gate
        self.listing, self.shelf, self.configuration = listing, listing.shelf, configuration
        [(name, source)] = configuration["sources"].items()
        self.path = f"/v1/{name}/{next(iter(source.get('feeds', [listing.name])))}"
        self.row, self.faults = {}, []
        if run(tsugi, "check", "--probe", "--config", self.write(FREE)) is None:
            self.faults.append("refused by check --probe")
        faults = self.rest()
        # What follows a wrong walk is not played.
        self.faults += faults or self.changes() + self.drift()

    def rest(self):
        """The first walk, while nothing changes: exactly the rows of the program."""
        time.sleep(SETTLED_SECONDS)
        rows, before = self.shelf.rows(), self.gate.calls
        with self.serve() as url:
            shown, proofs, end = walk(url)
        calls = self.gate.calls - before
        faults = self.judged(shown, end, rows, rows)
        self.row["walk"] = "; ".join(faults) or str(len(rows))
        self.row["proof"] = min(proofs - {None}, key=PROOFS.index, default="none")
        self.row["calls"] = f"{calls / math.ceil(len(rows) / self.listing.size):.2f}"
        return faults

    def changes(self):
        """A new item is shown: at the top by a refresh, at the end by a walk. One in the middle
        that is deleted is shown no more by walks."""
        with self.serve(EAGER) as url:
            walk(url)
            new = self.shelf.insert()
            self.row["insert"] = seconds_until(lambda: new in (
                walk(url)[0] if self.listing.rises else names(get(f"{url}?refresh=true")[1])))
            there = self.shelf.rows()
            old = sorted(there, key=there.get)[len(there) // 2]
            self.shelf.delete(old)
            self.row["deletion"] = seconds_until(lambda: old not in walk(url)[0])
        return [f"the {change} is never seen" for change in ("insert", "deletion")
                if not self.row[change]]

    def drift(self):
        """First walks while a writer writes before each call."""
        faults, missing = [], 0
        for seed in SEEDS:
            time.sleep(SETTLED_SECONDS)
            before, writer = self.shelf.rows(), Writer(self.shelf, seed)
            with self.serve() as url:
                self.gate.write = writer
                shown, _, end = walk(url)
                self.gate.write = None
            after = self.shelf.rows()
            stayed = before.keys() & after.keys()
            if self.row["proof"] in PROOFS[:2]:
                missing += len(stayed - set(shown))
                stayed &= set(shown)
            faults += self.judged(shown, end, stayed, {**writer.ever, **after})
        self.row["drift"] = "; ".join(faults) or (f"{missing} missing" if missing else "exact")
        return [f"drift: {fault}" for fault in faults]

    def judged(self, shown, end, stayed, ever):
        """What is wrong with a walk: what stayed comes exactly once, and in its place."""
        keys = [ever[name] for name in shown if name in ever]
        if self.listing.rises:
            keys.reverse()
        counts = {
            "twice": len(shown) - len(set(shown)),
            f"of {len(stayed)} missing": len(set(stayed) - set(shown)),
            "unknown": len(set(shown) - ever.keys()),
            "out of order": sum(one < other for one, other in zip(keys, keys[1:]))}
        faults = [f"{count} {fault}" for fault, count in counts.items() if count]
        return faults + ([] if end == "end" else [f"ended by {end}"])

    @contextlib.contextmanager
    def serve(self, policy=FREE):
        """Starts a server with an empty store, and gives the URL of the feed."""
        origin, path = f"http://127.0.0.1:{(port := free_port())}", self.write(policy)
        command = self.tsugi, "serve", "--config", path, "--port", str(port)
        with serving(command, f"{path}.log", f"{origin}/healthz"):
            yield origin + self.path

    def write(self, policy):
        """The path of a file with the configuration, beside a new store."""
        folder = tempfile.mkdtemp(dir=self.folder)
        sources = {name: {**source, **policy}
                   for name, source in self.configuration["sources"].items()}
        with open(f"{folder}/config.json", "w", encoding="utf-8") as file:
            json.dump({"sources": sources, "store": {"path": f"{folder}/store.sqlite"},
                       "server": {"newFeedsPerMinute": 0}}, file)
        return file.name


def walk(url):
    """Follows `next` to the end, and waits where the server asks for it: the identities, the set
    of proofs, and why it ended, which is `end` at the end of a list without a gap."""
    shown, proofs, gaps, origin = [], set(), 0, url.partition("/v1/")[0]
    deadline, target, status = time.monotonic() + WALK_SECONDS, f"{url}?limit=100", 0
    while time.monotonic() < deadline:
        status, reply = get(target)
        if status in (429, 503, 504):
            time.sleep(min(reply.get("retryAfterSeconds", 1), 5))
        elif status != 200:
            return shown, proofs, f"{status} {reply.get('code')}"
        else:
            shown += names(reply)
            proofs.add(reply.get("proof"))
            gaps += reply["gap"] is not None
            if not reply["next"]:
                return shown, proofs, f"{gaps} gaps" if gaps else reply["endReason"]
            target = origin + reply["next"]
    return shown, proofs, f"{status} after {WALK_SECONDS} s"


def get(url):
    """The status and the JSON of a response."""
    try:
        with urllib.request.urlopen(url, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def names(reply):
    """The identities of the items of a response."""
    return [str(item.get("id") or item["uuid"]) for item in reply.get("items", [])]


def seconds_until(is_so):
    """After how many seconds something became true, as text; empty if it did not."""
    begin = time.monotonic()
    while time.monotonic() - begin < SEEN_SECONDS:
        if is_so():
            return f"{time.monotonic() - begin:.0f} s"
        time.sleep(1)
    return ""
