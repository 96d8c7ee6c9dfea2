"""Other people's servers behind Tsugi.

Starts each program, asks it through a proxy, and plays with each of its lists under the
configuration that `tsugi probe` prints and under one by hand. The findings become the table of a
page. The exit code is 1 where a walk is wrong, or a change is never seen.
"""

import argparse
import datetime
import json
import os
import shutil
import signal
import sys
import tempfile

from plays import PROOFS, Finding, Play
from programs import PROGRAMS
from programs.base import NotInstalled, NotStarted
from tsugi import Tsugi

MARKERS = "<!-- real servers: begin -->\n", "<!-- real servers: end -->"
HEAD = "program", "list", "recipe", "walk", "proof", "calls", "drift", "insert", "deletion"
# How many more calls a page the configuration of probe may cost than the one by hand.
COMPLETE_CALLS = 0.25


def findings(tsugi, gate, listing):
    """The row of probe, then the row by hand."""
    source = {"kind": "http", "baseURL": gate.origin, **listing.recipe}
    by_hand = play(tsugi, gate, listing, {"sources": {"real": source}}, listing.name,
                   f"`{source['preset']}`" if "preset" in source else "by hand")
    before = gate.calls
    configuration, messages = tsugi.probe(gate.origin + listing.target)
    recipe = f"probe, {gate.calls - before} calls: "
    say(messages)
    if configuration is None:
        yield Finding(f"{recipe}refused")
    else:
        say(json.dumps(configuration))
        feed = next(iter(next(iter(configuration["sources"].values()))["feeds"]))
        probed = play(tsugi, gate, listing, configuration, feed, recipe)
        probed.recipe += verdict(probed, by_hand)
        yield probed
    yield by_hand


def play(tsugi, gate, listing, configuration, feed, recipe):
    """One row, with what `check --probe` finds."""
    messages = tsugi.check(configuration)
    say(messages)
    finding = Play(tsugi, gate, listing, configuration, feed).all(recipe)
    finding.faults += ["refused by check --probe"] if messages else []
    return finding


def verdict(probed, by_hand):
    """Right if each walk is, and complete if it proves no less for as few calls."""
    if not probed.walk.isdigit() or any("drift" in fault for fault in probed.faults):
        return "wrong"
    is_complete = PROOFS.index(probed.proof) >= PROOFS.index(by_hand.proof) and (
        float(probed.calls) <= float(by_hand.calls) + COMPLETE_CALLS)
    return "right and complete" if is_complete else "right"


def rows_of(kind, tsugi, folder):
    """The rows and findings of a program."""
    program = kind(folder)
    try:
        version = program.install()
        for listing in program.start():
            for finding in findings(tsugi, program.gate, listing):
                name = f"{listing.name}, oldest first" if listing.rises else listing.name
                yield [f"{kind.name} {version}", name, *finding.cells()], finding
    except NotInstalled as error:
        say(str(error))
        yield [kind.name, "not tried: its packages cannot be installed", *[""] * 7], Finding("")
    except NotStarted as error:
        say(str(error))
        yield [kind.name, "does not start", *[""] * 7], Finding("", faults=["does not start"])
    finally:
        program.stop()


def say(text):
    """Prints to standard error."""
    if text.strip():
        print(text.rstrip(), file=sys.stderr, flush=True)


def summary(rows):
    """The table, below the counts."""
    tried = [row for row in rows if row[2]]
    probed = [row[2].split(": ")[1] for row in tried if row[2].startswith("probe")]
    counts = [f"{probed.count(word)} {word}" for word in
              ("right and complete", "right", "wrong", "refused")]
    skipped = sum(row[1].startswith("not tried") for row in rows)
    lines = [f"Of {datetime.date.today():%Y-%m-%d}. Probe on {len(probed)} lists: "
             f"{', '.join(counts)}. Programs not tried: {skipped}. Calls are a page. "
             "Without a time, an insert or a deletion was not seen within 40 s of walks.", "",
             f"| {' | '.join(HEAD)} |", f"| {' | '.join('---' for _ in HEAD)} |"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def write(rows, path):
    """Puts the rows into a page; those of other programs stay."""
    with open(path, encoding="utf-8") as file:
        (above, rest), end = file.read().split(MARKERS[0]), MARKERS[1]
    table, below = rest.split(end)
    old = [line.strip("| \n").split(" | ") for line in table.splitlines() if line.startswith("|")]
    names = [kind.name for kind in PROGRAMS.values()]

    def program(row):
        return next((name for name in names if row[0].startswith(name)), None)

    played = {program(row) for row in rows}
    kept = [row + [""] * (9 - len(row)) for row in old if program(row) not in played | {None}]
    rows = sorted(kept + rows, key=lambda row: names.index(program(row)))
    with open(path, "w", encoding="utf-8") as file:
        file.write(above + MARKERS[0] + summary(rows) + end + below)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", help="gets the rows of the programs that are played")
    parser.add_argument("tsugi", help="the program under test")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PROGRAMS))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rows, faults, folder = [], [], tempfile.mkdtemp(prefix="tsugi-real-servers-")
    try:
        for name in options.names or PROGRAMS:
            own = os.path.join(folder, name)
            os.mkdir(own)
            for row, finding in rows_of(PROGRAMS[name], Tsugi(options.tsugi, own), own):
                rows.append(row)
                say(" | ".join(row))
                faults += [f"{name}, {row[1]}, {row[2]}: {fault}" for fault in finding.faults]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(summary(rows))
    if options.page:
        write(rows, options.page)
    for fault in faults:
        say(f"fault: {fault}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
