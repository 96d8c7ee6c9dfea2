"""Redmine of Debian: by offset, with a total in the body."""

import os
import shutil

from programs.base import Listing, Program
from programs.shelf import Shelf, sqlite

HOME = "/usr/share/redmine"
DATABASE = "production:\n  adapter: sqlite3\n  database: {}\n"
SETUP = """Redmine::DefaultData::Loader.load('en')
Setting.rest_api_enabled = 1
Project.create!(name: 'News', identifier: 'news', is_public: true, trackers: Tracker.all)
puts Token.create!(user: User.find_by(admin: true), action: 'api').value
"""


class Redmine(Program):
    """Issues, the newest first."""

    name = "Redmine"
    debian = ("redmine", "redmine-sqlite", "puma")

    def start(self):
        site, instance = self.path("site"), self.path("site", "instances", "default")
        shutil.copytree(HOME, site, symlinks=False, ignore=shutil.ignore_patterns("instances"))
        for name in ("config", "files", "log", "tmp"):
            os.makedirs(os.path.join(instance, name))
        for folder in (instance, site):
            with open(os.path.join(folder, "config/database.yml"), "w", encoding="utf-8") as file:
                file.write(DATABASE.format(self.path("redmine.sqlite")))
        with open(os.path.join(instance, "config/secret_key.txt"), "w", encoding="utf-8") as file:
            file.write("of a test " * 8)
        options = {"cwd": site, "env": {**os.environ, "RAILS_ENV": "production", "RUBYOPT": "-W0"}}
        self.run("bundle", "exec", "rake", "db:migrate", **options)
        key = self.run("bundle", "exec", "rails", "runner", SETUP, **options).split()[-1]
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
                  "auth": {"header": "X-Redmine-API-Key", "value": key}}
        return [Listing("issues", target, shelf, 100, recipe)]
