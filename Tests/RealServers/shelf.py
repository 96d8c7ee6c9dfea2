"""A table of SQL that a program serves and a writer changes, past the program."""

import datetime
import random

BEGIN = datetime.datetime(2024, 3, 1, 9, 30)


class Shelf:
    """`run` executes a statement and returns its rows; `row` are the columns and values of a new
    row, in which {id}, {name} and {made} stand; `form` is how the program writes an instant, and
    `name` how it writes an identity."""

    def __init__(self, run, table, row, key="id", made="created", form="%Y-%m-%d %H:%M:%S.%f",
                 name="{id}"):
        self.run, self.form, self.name, self.last = run, form, name, 1000
        self.add = f"INSERT INTO {table} {row}"
        self.select = f"SELECT {key}, {made} FROM {table}"
        self.remove = f"DELETE FROM {table} WHERE {key} = "

    def rows(self):
        """What is there: when each was made, by identity."""
        return {str(key): made for key, made in self.run(self.select)}

    def insert(self, made=None):
        """The identity of a new row."""
        self.last += 1
        made = made or datetime.datetime.now(datetime.timezone.utc)
        name = self.name.format(id=self.last)
        self.run(self.add.format(id=self.last, name=name, made=made.strftime(self.form)))
        return name

    def delete(self, identity):
        """Deletes a row."""
        self.run(f"{self.remove}'{identity}'")

    def fill(self, count):
        """Makes some rows, each 37 minutes after the other."""
        for number in range(count):
            self.insert(BEGIN + datetime.timedelta(minutes=37 * number))
        return self


class Writer:
    """Inserts and deletes a few rows at each call, the same for the same seed. `ever` has all
    rows that were there at one time."""

    def __init__(self, shelf, seed):
        self.shelf, self.random, self.ever = shelf, random.Random(seed), shelf.rows()

    def __call__(self):
        for _ in range(self.random.randrange(8)):
            self.shelf.insert()
        there = self.shelf.rows()
        self.ever |= there
        for identity in self.random.sample(sorted(there), self.random.randrange(7)):
            self.shelf.delete(identity)
