"""What is played with one list: at rest, under a writer, after an insert, after a deletion."""

import math
import time
from dataclasses import dataclass, field

from programs.shelf import Writer
from tsugi import EAGER, get, walk

SEEDS = (1, 2, 3)
SEEN_SECONDS = 40
# What is younger than `settleSeconds` and one second may still be kept back.
SETTLED_SECONDS = 4
# From weak to strong. Under the first two an item may be missing while a writer writes.
PROOFS = ("none", "upstream", "count", "whole", "sight", "value")


@dataclass
class Finding:
    """One row of the table. `faults` are broken promises."""

    recipe: str
    walk: str = ""
    proof: str = ""
    calls: str = ""
    drift: str = ""
    insert: str = ""
    deletion: str = ""
    faults: list = field(default_factory=list)

    def cells(self):
        """The cells of its row."""
        return [self.recipe, self.walk, self.proof, self.calls, self.drift, self.insert,
                self.deletion]


class Play:
    """Plays a list under one configuration."""

    def __init__(self, tsugi, gate, listing, configuration, feed):
        self.tsugi, self.gate, self.listing, self.shelf = tsugi, gate, listing, listing.shelf
        self.configuration, self.feed = configuration, feed

    def all(self, recipe):
        """Everything, as one row. What follows a wrong walk is not played."""
        finding = Finding(recipe)
        with self.tsugi.serving(self.configuration, self.feed) as url:
            self.rest(url, finding)
        if not finding.faults:
            with self.tsugi.serving(self.configuration, self.feed, EAGER) as url:
                walk(url)
                self.insert(url, finding)
                self.delete(url, finding)
            self.drift(finding)
        return finding

    def rest(self, url, finding):
        """The first walk, while nothing changes: exactly the rows of the program."""
        rows, before = self.settled_rows(), self.gate.calls
        items, proofs, end = walk(url)
        calls = self.gate.calls - before
        finding.proof = min(proofs - {None}, key=PROOFS.index, default="")
        finding.calls = f"{calls / math.ceil(len(rows) / self.listing.size):.2f}"
        finding.faults = self.judged(items, end, rows, rows, rows)
        finding.walk = "; ".join(finding.faults) or str(len(rows))

    def drift(self, finding):
        """First walks while a writer writes before each call."""
        faults, missing = [], 0
        for seed in SEEDS:
            before, writer = self.settled_rows(), Writer(self.shelf, seed)
            with self.tsugi.serving(self.configuration, self.feed) as url:
                self.gate.write = writer
                items, _, end = walk(url)
                self.gate.write = None
            after = self.shelf.rows()
            faults += self.judged(items, end, before, after, {**before, **writer.ever, **after})
            missing += len((before.keys() & after.keys()) - set(names(items)))
        if finding.proof in PROOFS[:2]:
            faults = [fault for fault in faults if "missing" not in fault]
        finding.drift = "; ".join(faults) or (f"{missing} missing" if missing else "exact")
        finding.faults += [f"drift: {fault}" for fault in faults]

    def insert(self, url, finding):
        """A new item is shown: at the top by a refresh, at the end by a walk."""
        identity = self.shelf.insert()

        def is_seen():
            if self.listing.rises:
                return identity in names(walk(url)[0])
            status, reply = get(f"{url}?limit=20&refresh=true")
            return status == 200 and identity in names(reply["items"])

        finding.insert = seconds_until(is_seen)
        finding.faults += [] if finding.insert else ["an insert is never seen"]

    def delete(self, url, finding):
        """A walk shows an item in the middle no more."""
        there = sorted(self.shelf.rows().items(), key=lambda row: row[1])
        identity = there[len(there) // 2][0]
        self.shelf.delete(identity)
        finding.deletion = seconds_until(lambda: identity not in names(walk(url)[0]))
        finding.faults += [] if finding.deletion else ["a deletion is never seen"]

    def settled_rows(self):
        """What is there, all of which a walk has to show."""
        time.sleep(SETTLED_SECONDS)
        return self.shelf.rows()

    def judged(self, items, end, before, after, ever):
        """What is wrong with a walk: a row that stayed comes exactly once, and in its place."""
        shown = names(items)
        stayed = before.keys() & after.keys()
        keys = [ever[name] for name in shown if name in ever]
        counts = {
            "twice": len(shown) - len(set(shown)),
            f"of {len(stayed)} missing": len(stayed - set(shown)),
            "unknown": len(set(shown) - ever.keys()),
            "out of order": sum(one > other if self.listing.rises else one < other
                                for one, other in zip(keys, keys[1:]))}
        faults = [f"{count} {fault}" for fault, count in counts.items() if count]
        return faults + ([] if end == "end" else [f"ended by {end}"])


def names(items):
    """The identities of items."""
    return [str(item.get("id") if isinstance(item, dict) else item) for item in items]


def seconds_until(is_so):
    """After how many seconds something became true, as text; empty if it did not."""
    begin = time.monotonic()
    while time.monotonic() - begin < SEEN_SECONDS:
        if is_so():
            return f"{time.monotonic() - begin:.0f} s"
        time.sleep(1)
    return ""
