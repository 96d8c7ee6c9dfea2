"""How the cost of an item, a feed, a listener and a server grows with their number.

    growth.py TSUGI [--short] [items feeds listeners servers]

Prints a table for each part. Ends with 1 where a cost of the last row is more than twice that of
the first one.
"""

import contextlib
import itertools
import json
import random
import re
import resource
import signal
import sys
import time
from typing import NamedTuple

from bench import Bench, Listeners, Server, calls_left, database

GROWTH_MAX = 2
# The least processor time that a figure rests on, and how long listeners listen.
COUNTED_SECONDS, LISTENED_SECONDS = 0.5, 10
# Of fewer listeners, the cost of an event is less than what two looks differ by.
MEASURED_LISTENERS = 100
# What a process may open for the most listeners, and what it opens besides them.
FILES_MAX, FILES_BESIDES = 13_000, 500
# Columns that are the sum of all, and may grow: each server writes a copy of its own.
TOTALS = {"resident MB", "processor ms of all"}
FEED = "/v1/api/items?fields=id"


def walk(servers):
    """Reads the feed to its end, each slice from the next server. Returns where slices begin."""
    target, places = f"{FEED}&limit=100", []
    for server in itertools.cycle(servers):
        target = json.loads(server.get(target))["next"]
        if target is None:
            return places
        places.append(re.search("startAfter=[^&]*", target)[0])


def stored_slice(server, places):
    """The processor time of a stored slice of 20 items that begins at a random place. Each
    asks for one more field, which no item has: so none is answered by a reply that is kept."""
    begin, count = server.seconds(), 0
    while (used := server.seconds() - begin) < COUNTED_SECONDS:
        for count in range(count + 1, count + 2001):
            server.get(f"{FEED},none{count}&{random.choice(places)}")
    return used / count


def fresh_stores(bench, upstream, work):
    """Does the same on one server with an empty store after the other, until enough is counted.
    Returns what `work` returned last, the last server, and a time's processor time and bytes."""
    used = grown = times = 0
    while True:
        server = Server(bench, upstream)
        done = work(server)
        used, times = used + server.seconds() - server.seconds_at_start, times + 1
        grown += server.resident() - server.resident_at_start
        if used > COUNTED_SECONDS:
            return done, server, used / times, grown / times
        server.stop()


def first_reads(bench, noun, count, upstream, work):
    """What `work` costs, which reads so many things for the first time and returns places in them,
    and slices at these places, which are stored then."""
    places, server, used, grown = fresh_stores(bench, upstream, work)
    resident, slice_seconds = server.resident(), stored_slice(server, places)
    return {f"processor µs {noun}": used / count * 1e6,
            f"bytes of the store {noun}": server.stop() / count,
            f"resident bytes {noun}": grown / count,
            "resident MB": resident / 1e6,
            "processor µs a stored slice": slice_seconds * 1e6}


def items(bench, count):
    """The first walk through a feed."""
    return first_reads(
        bench, "an item", count, bench.small_items(count), lambda server: walk([server]))


def feeds(bench, count):
    """One page of each feed."""
    places = [f"v={number}" for number in range(count)]

    def open_all(server):
        for place in places:
            server.get(f"{FEED}&{place}")
        return places

    return first_reads(bench, "a feed", count, bench.small_items(1000), open_all)


def listeners(bench, count):
    """What listeners of a feed cost. Looks at it alternate with looks at a feed that has one
    listener: the difference is what the others cost, without the look itself."""
    server = Server(bench, bench.upstream("--items", "5", "--drift", "touch=20"), item="user")
    many, one = (Listeners(bench, server, f"{FEED}&v={name}") for name in ("many", "one"))
    for channel in (many, one):
        server.get(channel.feed)
        channel.add(1)
        channel.look()
    begin = server.seconds()
    many.add(count)
    joined = server.seconds() - begin
    used = alone = events = 0
    deadline = time.monotonic() + LISTENED_SECONDS
    while time.monotonic() < deadline:
        (few, _), (all_of_them, received) = one.look(), many.look()
        used, alone, events = used + all_of_them, alone + few, events + received
    besides = (used - alone) / events * 1e6 if count >= MEASURED_LISTENERS else None
    return {"processor µs a new listener": joined / count * 1e6,
            "processor µs an event and listener": used / events * 1e6,
            "the same without the look": besides,
            "resident bytes a listener": (server.resident() - server.resident_at_start) / count}


def servers(bench, count):
    """The first walk through a feed of 5,000 items, each slice from another server."""
    upstream, new_database = bench.small_items(5000), database(bench)
    totals, times = [0, 0, 0, 0], 0
    while totals[0] < COUNTED_SECONDS or times < 2:
        url = new_database()
        there = [Server(bench, upstream, url=url) for _ in range(count)]
        begins, calls = [server.clock() for server in there], calls_left(upstream)
        walk(there)
        used = [server.seconds() - begin for server, begin in zip(there, begins)]
        figures = (sum(used), max(used), calls - calls_left(upstream) - 1,
                   sum(server.resident() for server in there) / count)
        totals, times = [total + one for total, one in zip(totals, figures)], times + 1
        for server in there:
            server.stop()
    together, one, calls, resident = (total / times for total in totals)
    return {"processor ms of all": together * 1e3, "processor ms of the busiest": one * 1e3,
            "upstream calls": calls, "resident bytes a server": resident}


class Part(NamedTuple):
    """One table: its rows are numbers of things, and `measure` makes a row's figures."""

    title: str
    noun: str
    measure: object
    counts: tuple
    short: int  # how many of the counts a short run has


PARTS = {
    "items": Part("Items of one feed, read for the first time", "items", items,
                  (1000, 10_000, 100_000, 1_000_000), 2),
    "feeds": Part("Feeds, one page of each", "feeds", feeds, (10, 100, 1000, 10_000), 3),
    "listeners": Part("Listeners of one feed", "listeners", listeners,
                      (10, 100, 1000, 10_000), 3),
    "servers": Part("Servers on one PostgreSQL, which read 5,000 items in turn", "servers", servers,
                    (1, 2, 4), 3)}


def table(tsugi, part, counts):
    """Prints the table of a part. Returns what grows too much."""
    rows = []
    for count in counts:
        with Bench(tsugi) as bench:
            rows.append(part.measure(bench, count))
        if len(rows) == 1:
            print(f"\n{part.title}:\n\n| {part.noun} | {' | '.join(rows[0])} |")
            print("| --: " * (len(rows[0]) + 1) + "|")
        print(f"| {count:,} | {' | '.join(map(figure, rows[-1].values()))} |", flush=True)
    growth = {name: rows[-1][name] / next(row[name] for row in rows if (row[name] or 0) > 0)
              for name in rows[0] if name not in TOTALS}
    cells = (f"{growth[name]:.2f}" if name in growth else "" for name in rows[0])
    print(f"| last over first | {' | '.join(cells)} |", flush=True)
    return [f"{part.title}: {name}, {ratio:.2f} times"
            for name, ratio in growth.items() if ratio > GROWTH_MAX]


def figure(value):
    """A number with at least two digits that count; a dash for none."""
    return "–" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.2f}"


def open_files():
    """How many files this process and its servers may open, raised as far as that is possible."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for limits in ((FILES_MAX, max(hard, FILES_MAX)), (hard, hard)):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            break
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def main():
    """Measures the parts that are named, or all."""
    tsugi, *words = sys.argv[1:]
    is_short = "--short" in words
    names = [word for word in words if word != "--short"] or list(PARTS)
    if unknown := set(names) - PARTS.keys():
        sys.exit(f"no part is named {', '.join(unknown)}: {', '.join(PARTS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    files, faults = open_files(), []
    for name in names:
        part = PARTS[name]
        counts = part.counts[:part.short] if is_short else part.counts
        if name == "listeners" and (few := [n for n in counts if n + FILES_BESIDES > files]):
            print(f"\nNot tried: {few} listeners, as only {files:,} files may be open.")
            counts = counts[:-len(few)]
        faults += table(tsugi, part, counts)
    for fault in faults:
        print(f"grows too much: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
