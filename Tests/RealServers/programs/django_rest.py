"""Django REST framework with its three pagers. Every URL ends with a slash."""

import os

from programs.base import Listing, Program, app
from programs.shelf import articles


class DjangoREST(Program):
    """Five lists over one table."""

    name = "Django REST framework"
    pypi = ("djangorestframework==3.18.3", "django==5.2.19")

    def start(self):
        path = self.path("articles.sqlite")
        shelf = articles(path, 512)
        self.spawn(self.python, "-B", app("django_rest.py"), "runserver", "--noreload",
                   "--nothreading", f"127.0.0.1:{self.port}", env={**os.environ, "DATABASE": path})
        self.wait("/page/")

        def listing(name, preset, size, feed, **source):
            recipe = {"preset": preset, "feeds": {name: {"path": f"{name}/", **feed}}, **source}
            return Listing(name, f"/{name}/", shelf, size, recipe, rises=not feed)

        newest = {"order": "-created"}
        return [
            listing("page", "drf-page", 100, newest),
            listing("fixed", "drf-page", 50, newest, pages={"size": None, "max": 50}),
            listing("oldest", "drf-page", 100, {}),
            listing("offset", "drf-offset", 100, newest),
            listing("cursor", "drf-cursor", 50, newest, pages={"max": 50}),
        ]
