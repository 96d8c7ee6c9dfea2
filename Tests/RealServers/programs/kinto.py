"""Kinto in memory: the URL of the next page in a header field."""

import json
import urllib.request

from programs.base import Listing, Program, app

BUCKET = "/v1/buckets/news"
RECORDS = f"{BUCKET}/collections/articles/records"


class Kinto(Program):
    """Records, the last changed first. There is no table to write to: a record is put there by a
    call past the proxy, and `there` is what was put."""

    name = "Kinto"
    pypi = ("kinto==26.5.0", "setuptools<81")

    def start(self):
        self.spawn(self.path("venv", "bin", "kinto"), "start", "--ini", app("kinto.ini"),
                   "--port", self.port)
        self.wait("/v1/")
        self.there = {}
        self.call("PUT", BUCKET, {"permissions": {"write": ["system.Everyone"]}})
        self.call("PUT", f"{BUCKET}/collections/articles", {})
        for _ in range(330):
            self.insert()
        feed = {"path": RECORDS[1:], "items": "data", "order": "-last_modified",
                "time": "milliseconds"}
        pages = {"by": "next", "next": "header:Next-Page", "size": "_limit", "max": 50}
        return [Listing("records", RECORDS, self, 50, {"pages": pages, "feeds": {"records": feed}})]

    def call(self, method, path, value):
        """One call past the proxy."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", json.dumps(value).encode(), method=method,
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["data"]

    def rows(self):
        """What is there: when each was changed, by identity."""
        return dict(self.there)

    def insert(self):
        """The identity of a new record."""
        record = self.call("POST", RECORDS, {"data": {"title": f"Record {len(self.there)}"}})
        self.there[record["id"]] = record["last_modified"]
        return record["id"]

    def delete(self, identity):
        """Deletes a record."""
        self.call("DELETE", f"{RECORDS}/{identity}", {})
        del self.there[identity]
