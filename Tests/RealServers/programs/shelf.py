"""A table of SQL that a program serves and a writer changes, past the program."""

import contextlib
import datetime
import random
import sqlite3

BEGIN = datetime.datetime(2024, 3, 1, 9, 30)


class Shelf:
    """`run` executes a statement and returns its rows; `values` are the columns of a new row, as
    SQL in which {id} and {made} stand; `form` is how the program writes an instant."""

    def __init__(self, run, table, values, key="id", made="created", form="%Y-%m-%d %H:%M:%S.%f",
                 where="TRUE"):
        self.run, self.form, self.last = run, form, 1000
        self.select = f"SELECT {key}, {made} FROM {table} WHERE {where}"
        columns, new = ", ".join(values), ", ".join(values.values())
        self.add = f"INSERT INTO {table} ({columns}) VALUES ({new})"
        self.remove = f"DELETE FROM {table} WHERE {key} = "

    def rows(self):
        """What is there: when each was made, by identity."""
        return {str(key): made for key, made in self.run(self.select)}

    def insert(self, made=None):
        """The identity of a new row."""
        self.last += 1
        made = made or datetime.datetime.now(datetime.timezone.utc)
        self.run(self.add.format(id=self.last, made=made.strftime(self.form)))
        return str(self.last)

    def delete(self, identity):
        """Deletes a row."""
        self.run(self.remove + identity)

    def fill(self, count):
        """Makes some rows, each 37 minutes after the other."""
        for number in range(count):
            self.insert(BEGIN + datetime.timedelta(minutes=37 * number))
        return self


def sqlite(path):
    """Executes statements on a file that a program has open too."""
    def run(statement):
        with contextlib.closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as file:
            return file.execute(statement).fetchall()
    return run


def articles(path, count, form="%Y-%m-%d %H:%M:%S.%f"):
    """A file with a table of articles."""
    run = sqlite(path)
    run("PRAGMA journal_mode = WAL")
    run("CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT, score INTEGER, created TEXT)")
    values = {"id": "{id}", "title": "'Article {id}'", "score": "{id} % 7", "created": "'{made}'"}
    return Shelf(run, "articles", values, form=form).fill(count)


class Writer:
    """Inserts and deletes a few rows at each call, the same for the same seed. `ever` has all
    rows that were there at one time."""

    def __init__(self, shelf, seed):
        self.shelf, self.random, self.ever = shelf, random.Random(seed), shelf.rows()

    def __call__(self):
        for _ in range(self.random.randrange(8)):
            self.shelf.insert()
        there = self.shelf.rows()
        self.ever.update(there)
        for identity in self.random.sample(sorted(self.ever), 6)[:self.random.randrange(7)]:
            if identity in there:
                self.shelf.delete(identity)
