"""Redmine of Debian: by offset, with a total in the body."""

import os
import shutil

from programs.base import Listing, Program, app
from programs.shelf import Shelf, sqlite


class Redmine(Program):
    """Issues, the newest first."""

    name = "Redmine"
    debian = ("redmine", "redmine-sqlite", "puma")

    def start(self):
        site, instance = self.path("site"), self.path("site", "instances", "default")
        shutil.copytree("/usr/share/redmine", site, ignore=shutil.ignore_patterns("instances"))
        for name in ("config", "files", "log", "tmp"):
            os.makedirs(os.path.join(instance, name))
        for folder in (instance, site):
            shutil.copy(app("redmine.yml"), os.path.join(folder, "config", "database.yml"))
        environment = {**os.environ, "RAILS_ENV": "production", "RUBYOPT": "-W0",
                       "SECRET_KEY_BASE": "of a test " * 8, "DATABASE": self.path("redmine.sqlite")}
        options = {"cwd": site, "env": environment}
        self.run("bundle", "exec", "rake", "db:migrate", **options)
        setup = self.run("bundle", "exec", "rails", "runner", app("redmine.rb"), **options)
        values = {
            "id": "{id}", "root_id": "{id}", "lft": "1", "rgt": "2", "subject": "'Issue {id}'",
            "tracker_id": "1", "project_id": "1", "status_id": "1", "priority_id": "1",
            "author_id": "1", "created_on": "'{made}'", "updated_on": "'{made}'"}
        shelf = Shelf(sqlite(self.path("redmine.sqlite")), "issues", values, made="created_on")
        shelf.fill(430)
        self.spawn("puma", "-b", f"tcp://127.0.0.1:{self.port}", "-e", "production", "-t", "1:1",
                   **options)
        target = "/issues.json?status_id=*&sort=created_on:desc"
        self.wait(target)
        recipe = {"preset": "redmine", "public": True,
                  "auth": {"header": "X-Redmine-API-Key", "value": setup.split()[-1]}}
        return [Listing("issues", target, shelf, 100, recipe)]
