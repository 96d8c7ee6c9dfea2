"""fastapi-pagination with its three ways."""

import os

from programs.base import Listing, Program, app
from programs.shelf import articles


class FastAPIPagination(Program):
    """Three lists over one table."""

    name = "fastapi-pagination"
    pypi = ("fastapi-pagination==0.16.1", "fastapi==0.165.0", "uvicorn==0.54.0",
            "sqlalchemy==2.1.9", "sqlakeyset==2.0.1787969905")

    def start(self):
        path = self.path("articles.sqlite")
        shelf = articles(path, 450, "%Y-%m-%dT%H:%M:%S.%fZ")
        self.spawn(self.python, "-B", app("pagination.py"), self.port,
                   env={**os.environ, "DATABASE": path})
        self.wait("/page")

        def listing(name, **pages):
            feeds = {name: {"order": "-created"}}
            recipe = {"preset": "fastapi-pagination", "pages": pages, "feeds": feeds}
            return Listing(name, f"/{name}", shelf, 100, recipe)

        return [listing("page"), listing("offset", by="offset", size="limit"),
                listing("cursor", by="next", at="cursor", next="next_page")]
