"""Datasette over a table: a token, and a URL with it."""

from programs.base import Listing, Program
from programs.shelf import articles


class Datasette(Program):
    """The table by its key, which is the oldest first, and the newest first."""

    name = "Datasette"
    pypi = ("datasette==0.65.5", "setuptools<81")

    def start(self):
        shelf = articles(self.path("news.db"), 530, "%Y-%m-%dT%H:%M:%S.%fZ")
        self.spawn(self.python, "-m", "datasette", "serve", self.path("news.db"),
                   "--port", self.port, "--setting", "max_returned_rows", "100",
                   "--setting", "default_cache_ttl", "0")
        target = "/news/articles.json?_shape=objects"
        self.wait(target)

        def listing(name, target, rises, **feed):
            feeds = {name: {"path": "news/articles.json", **feed}}
            recipe = {"preset": "datasette", "feeds": feeds}
            return Listing(name, target, shelf, 100, recipe, rises)

        return [listing("oldest", target, True),
                listing("newest", f"{target}&_sort_desc=created", False,
                        query={"_sort_desc": "created"}, order="-created")]
