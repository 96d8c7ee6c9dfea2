"""What the document says in words, and names that are there, for schemathesis: Tests/OpenAPI/run."""

import json
import os
import random
import urllib.request

import schemathesis
from hypothesis import strategies

# A cursor cannot be made up, and at: is for feeds that are ordered by time; any identity may be
# asked for, and is answered 404 where nothing has it.
schemathesis.openapi.format(
    "position", strategies.from_regex(r"\Aid:[A-Za-z0-9_]{1,20}\Z")
)


def ask(target):
    with urllib.request.urlopen(os.environ["TSUGI_URL"] + target) as reply:
        return json.load(reply)


def names():
    """What the demo has, by the word before {id}."""
    items = ask("/v1/qiita/items?limit=20")["items"]
    return {
        "items": [item["id"] for item in items],
        "users": [item["user"]["id"] for item in items],
        "tags": [tag["name"] for item in items for tag in item["tags"]],
        "comments": ["none"],
    }


KNOWN = names()
SEQ = ask("/v1/qiita/items:status")["seq"]


def isPlain(case):
    """Whether the case is one that should be good: those made to be refused stay as they are."""
    return case.meta is None or case.meta.generation.mode.is_positive


@schemathesis.hook
def map_case(context, case):
    """Has most cases ask for what is there."""
    if not isPlain(case) or random.random() < 0.3:
        return case
    if case.path_parameters and "id" in case.path_parameters:
        kind = case.path.split("/{id}")[0].split("/")[-1]
        case.path_parameters["id"] = random.choice(KNOWN.get(kind, ["1"]))
    if case.query and "since" in case.query:
        case.query["since"] = SEQ
    return case


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what the words of the document forbid: the server must refuse it, and other
    tests see that it does."""
    query = case.query or {}
    isTrue = lambda name: query.get(name) in (True, "true")
    if "startAfter" in query and "startAt" in query:
        return False
    if "endBefore" in query and "endAt" in query:
        return False
    if isTrue("limitToLast") and not ("endBefore" in query or "endAt" in query):
        return False
    if isTrue("refresh") and ("startAfter" in query or "startAt" in query):
        return False
    # Lengths are of bytes, which the document's characters may be four of.
    longest = {"query": 512, "fields": 2048}
    if any(len(str(query.get(name, "")).encode()) > most for name, most in longest.items()):
        return False
    path = case.path_parameters or {}
    return all(len(str(value).encode()) <= 256 for value in path.values())
