"""Other people's servers behind Tsugi: real_servers.py PAGE TSUGI [NAME...].

Starts each program, asks it through a proxy, and plays with each of its lists under the
configuration that `tsugi probe` prints and under one by hand. The findings become the table of a
page. The exit code is 1 where a walk is wrong, or a change is never seen.
"""

import datetime
import json
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter

from play import PROOFS, Play, run
from programs import PROGRAMS

BEGIN, END = "<!-- real servers: begin -->\n", "<!-- real servers: end -->"
HEAD = "| program | list | recipe | walk | proof | calls | drift | insert | deletion |\n"
COLUMNS = HEAD.strip("|\n ").split(" | ")
# How many more calls a page the configuration of probe may cost than the one by hand.
COMPLETE_CALLS = 0.25


def rows_of(kind, folder, tsugi):
    """The rows of a program, each with its faults."""
    program, state = kind(folder), "not tried: its packages cannot be installed"
    try:
        version, state = program.install(), "does not start"
        for listing in program.start():
            first = {"program": f"{kind.name} {version}",
                     "list": listing.name + (", oldest first" if listing.rises else "")}
            for row, faults in played(tsugi, program, listing):
                yield {**first, **row}, faults
    except (OSError, subprocess.SubprocessError) as error:
        print(error, getattr(error, "stdout", ""), file=sys.stderr)
        yield {"program": kind.name, "list": state}, [state] if "start" in state else []
    finally:
        program.processes.close()


def played(tsugi, program, listing):
    """The row of probe, then the row by hand, each with its faults."""
    source = {"kind": "http", "baseURL": program.gate.origin, **listing.recipe}
    by_hand = Play(tsugi, program, listing, {"sources": {"real": source}})
    before = program.gate.calls
    configuration = run(tsugi, "probe", program.gate.origin + listing.target)
    recipe = f"probe, {program.gate.calls - before} calls: "
    if configuration is None:
        yield {"recipe": f"{recipe}refused"}, []
    else:
        print(configuration, file=sys.stderr)
        probed = Play(tsugi, program, listing, json.loads(configuration))
        yield {"recipe": recipe + verdict(probed, by_hand), **probed.row}, probed.faults
    name = f"`{source['preset']}`" if "preset" in source else "by hand"
    yield {"recipe": name, **by_hand.row}, by_hand.faults


def verdict(probed, by_hand):
    """Right if each walk is, and complete if it proves no less for as few calls."""
    if not probed.row["walk"].isdigit() or any("drift" in fault for fault in probed.faults):
        return "wrong"
    proves = PROOFS.index(probed.row["proof"]) >= PROOFS.index(by_hand.row["proof"])
    costs = float(probed.row["calls"]) - float(by_hand.row["calls"])
    return "right and complete" if proves and costs <= COMPLETE_CALLS else "right"


def write(lines, names, path):
    """Puts the lines of programs into the table of a page; those of others stay."""
    with open(path, encoding="utf-8") as file:
        above, table, below = re.split(f"({BEGIN}.*{END})", file.read(), flags=re.DOTALL)
    played_now = tuple(f"| {PROGRAMS[name].name}" for name in names)
    lines += [line for line in table.splitlines()[5:-1] if not line.startswith(played_now)]
    counts = Counter(re.findall(r" calls: ([a-z ]+) \|", "\n".join(lines)))
    told = ", ".join(f"{counts[word]} {word}" for word in
                     ("right and complete", "right", "wrong", "refused"))
    head = (f"Of {datetime.date.today()}. Probe on {counts.total()} lists: {told}. Calls are a "
            "page. Without a time, an insert or a deletion was not seen within 40 s of walks.\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write(above + "\n".join([
            BEGIN + head, HEAD + "|" + " --- |" * len(COLUMNS),
            *sorted(lines, key=str.casefold), END + below]))


def main():
    """Plays the programs that are named, or all."""
    page, tsugi, *names = sys.argv[1:]
    names = names or PROGRAMS
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    lines, faults = [], []
    with tempfile.TemporaryDirectory(prefix="tsugi-real-servers-") as folder:
        for name in names:
            own = tempfile.mkdtemp(dir=folder)
            for row, found in rows_of(PROGRAMS[name], own, tsugi):
                lines.append(f"| {' | '.join(row.get(column, '') for column in COLUMNS)} |")
                faults += [f"fault: {fault}: {lines[-1]}" for fault in found]
                print(lines[-1], file=sys.stderr, flush=True)
    write(lines, names, page)
    print(*faults, sep="\n", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
