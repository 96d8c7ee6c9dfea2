"""The programs, and the recipes by hand for their lists."""

import json
import os
import secrets
import shutil
import urllib.request

from base import Listing, Program
from shelf import Shelf

APPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "apps")
ISO = "%Y-%m-%dT%H:%M:%S.%fZ"
NEWEST = {"order": "-created"}


class DjangoREST(Program):
    """Django REST framework with its three pagers. Every URL ends with a slash."""

    name = "Django REST framework"
    pypi = "djangorestframework==3.18.3", "django==5.2.19"

    def start(self):
        shelf = self.articles(512)
        self.spawn("venv/bin/python", f"{APPS}/django_rest.py", "runserver", "--noreload",
                   "--nothreading", f"127.0.0.1:{self.port}", target="/page/")
        for name, preset, size, feed, source in (
                ("page", "drf-page", 100, NEWEST, {}),
                ("fixed", "drf-page", 50, NEWEST, {"pages": {"size": None, "max": 50}}),
                ("oldest", "drf-page", 100, {}, {}),
                ("offset", "drf-offset", 100, NEWEST, {}),
                ("cursor", "drf-cursor", 50, NEWEST, {"pages": {"max": 50}})):
            recipe = {"preset": preset, "feeds": {name: {"path": f"{name}/", **feed}}, **source}
            yield Listing(name, f"/{name}/", shelf, size, recipe, rises=not feed)


class FastAPIPagination(Program):
    """fastapi-pagination with its three ways."""

    name = "fastapi-pagination"
    pypi = ("fastapi-pagination==0.16.1", "fastapi==0.165.0", "uvicorn==0.54.0",
            "sqlalchemy==2.1.9", "sqlakeyset==2.0.1787969905")

    def start(self):
        shelf = self.articles(450, form=ISO)
        self.spawn("venv/bin/python", f"{APPS}/pagination.py", str(self.port), target="/page")
        for name, pages in {"page": {}, "offset": {"by": "offset", "size": "limit"},
                            "cursor": {"by": "next", "at": "cursor", "next": "next_page"}}.items():
            recipe = {"preset": "fastapi-pagination", "pages": pages, "feeds": {name: NEWEST}}
            yield Listing(name, f"/{name}", shelf, 100, recipe)


class Datasette(Program):
    """Datasette with a token and a URL with it: by the key, which is the oldest first, and the
    newest first."""

    name = "Datasette"
    pypi = "datasette==0.65.5", "setuptools<81"

    def start(self):
        shelf = self.articles(530, form=ISO)
        path, target = "database/articles.json", "/database/articles.json?_shape=objects"
        self.spawn("venv/bin/python", "-m", "datasette", "serve", self.env["DATABASE"],
                   "--port", str(self.port), "--setting", "max_returned_rows", "100",
                   "--setting", "default_cache_ttl", "0", target=target)
        for name, more, feed in (
                ("oldest", "", {}),
                ("newest", "&_sort_desc=created", {"query": {"_sort_desc": "created"}, **NEWEST})):
            recipe = {"preset": "datasette", "feeds": {name: {"path": path, **feed}}}
            yield Listing(name, target + more, shelf, 100, recipe, rises=not feed)


class Kinto(Program):
    """Kinto in memory, the last changed first, with the URL of the next page in a header field.
    There is no table to write to: a record is put there by a call past the proxy, and `there` is
    what was put."""

    name = "Kinto"
    pypi = "kinto==26.5.0", "setuptools<81"
    bucket = "/v1/buckets/news"
    records = f"{bucket}/collections/articles/records"

    def start(self):
        self.spawn("venv/bin/kinto", "start", "--ini", f"{APPS}/kinto.ini",
                   "--port", str(self.port), target="/v1/")
        self.there = {}
        self.call("PUT", self.bucket, {"permissions": {"write": ["system.Everyone"]}})
        self.call("PUT", f"{self.bucket}/collections/articles", {})
        for _ in range(330):
            self.insert()
        feed = {"path": self.records[1:], "items": "data", "order": "-last_modified",
                "time": "milliseconds"}
        pages = {"by": "next", "next": "header:Next-Page", "size": "_limit", "max": 50}
        yield Listing("records", self.records, self, 50,
                      {"pages": pages, "feeds": {"records": feed}})

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
        record = self.call("POST", self.records, {"data": {"title": f"Record {len(self.there)}"}})
        self.there[record["id"]] = record["last_modified"]
        return record["id"]

    def delete(self, identity):
        """Deletes a record."""
        self.call("DELETE", f"{self.records}/{identity}", {})
        del self.there[identity]


class Ironic(Program):
    """OpenStack's Ironic, the newest nodes first: by the element above, which must exist."""

    name = "Ironic"
    pypi = ("ironic==39.0.0",)

    def start(self):
        self.env |= {
            "OS_DEFAULT__AUTH_STRATEGY": "noauth", "OS_DEFAULT__TRANSPORT_URL": "fake://",
            "OS_DATABASE__CONNECTION": f"sqlite:///{self.env['DATABASE']}",
            "OS_API__HOST_IP": "127.0.0.1", "OS_API__PORT": str(self.port),
            "OS_API__MAX_LIMIT": "100", "OS_API__API_WORKERS": "1"}
        self.run("venv/bin/ironic-dbsync", "create_schema")
        row = ("(uuid, created_at, version, maintenance, console_enabled, protected, retired) "
               "VALUES ('{name}', '{made}', '1.39', 0, 0, 0, 0)")
        shelf = Shelf(self.execute, "nodes", row, "uuid", "created_at",
                      name="{id:08}-0000-4000-8000-000000000000").fill(330)
        target = "/v1/nodes/detail?sort_dir=desc"
        self.spawn("venv/bin/ironic-api", target=target)
        feed = {"path": "v1/nodes/detail", "query": {"sort_dir": "desc"}, "items": "nodes",
                "id": "uuid", "order": "-created_at"}
        pages = {"by": "item", "at": "marker", "size": "limit", "next": "next", "existing": True}
        yield Listing("nodes", target, shelf, 100, {"pages": pages, "feeds": {"nodes": feed}})


class WordPress(Program):
    """WordPress of Debian over MariaDB: by page, with totals in header fields."""

    name = "WordPress"
    debian = "wordpress", "php-cli", "php-mysql", "mariadb-server"

    def start(self):
        self.env |= {"SOCKET": f"{self.folder}/socket", "ORIGIN": self.gate.origin}
        options = "--no-defaults", "--user=root"
        data, socket = f"--datadir={self.folder}/data", f"--socket={self.folder}/socket"
        self.run("mariadb-install-db", *options, data, "--auth-root-authentication-method=normal")
        self.spawn("mariadbd", *options, data, socket, "--skip-networking",
                   "--sql-mode=", f"--pid-file={self.folder}/pid")
        self.run("mariadb-admin", *options, socket, "--wait=20", "create", "wordpress")
        self.client = ("mariadb", *options, socket, "--batch", "--skip-column-names", "wordpress",
                       "--execute")
        self.cwd = f"{self.folder}/site"
        shutil.copytree("/usr/share/wordpress", self.cwd)
        shutil.copy(f"{APPS}/wp-config.php", self.cwd)
        self.run("php", f"{APPS}/wp-install.php")
        self.query("DELETE FROM wp_posts WHERE ID > 1")
        base = "/wp-json/wp/v2"
        self.spawn("php", "-S", f"127.0.0.1:{self.port}", target=f"{base}/posts")
        recipe = {"preset": "wordpress", "baseURL": self.gate.origin + base}
        # The comments first: all are of a post that the other list may lose.
        for name, key, made, row in (
                ("comments", "comment_ID", "comment_date_gmt",
                 "SET comment_ID = {id}, comment_post_ID = 1, comment_author = 'A reader', "
                 "comment_content = '{id}', comment_date = '{made}', comment_date_gmt = '{made}'"),
                ("posts", "ID", "post_date_gmt",
                 "SET ID = {id}, post_author = 1, post_title = 'Post {id}', "
                 "post_name = 'post-{id}', post_date = '{made}', post_date_gmt = '{made}', "
                 "post_modified = '{made}', post_modified_gmt = '{made}'")):
            shelf = Shelf(self.query, f"wp_{name}", row, key, made).fill(400)
            yield Listing(name, f"{base}/{name}", shelf, 100, recipe)

    def query(self, statement):
        """The rows of a statement."""
        return [line.split("\t") for line in self.run(*self.client, statement).splitlines()]


class Redmine(Program):
    """Redmine of Debian, the newest issues first: by offset, with a total in the body."""

    name = "Redmine"
    debian = "redmine", "redmine-sqlite", "puma"

    def start(self):
        self.cwd, instance = f"{self.folder}/site", f"{self.folder}/site/instances/default"
        shutil.copytree("/usr/share/redmine", self.cwd, ignore=shutil.ignore_patterns("instances"))
        for name in ("config", "files", "log", "tmp"):
            os.makedirs(f"{instance}/{name}")
        for folder in (instance, self.cwd):
            shutil.copy(f"{APPS}/redmine.yml", f"{folder}/config/database.yml")
        self.env |= {"RAILS_ENV": "production", "RUBYOPT": "-W0",
                     "SECRET_KEY_BASE": "of a test " * 8}
        self.run("bundle", "exec", "rake", "db:migrate")
        setup = self.run("bundle", "exec", "rails", "runner", f"{APPS}/redmine.rb")
        row = ("(id, root_id, lft, rgt, subject, tracker_id, project_id, status_id, priority_id, "
               "author_id, created_on, updated_on) VALUES "
               "({id}, {id}, 1, 2, 'Issue {id}', 1, 1, 1, 1, 1, '{made}', '{made}')")
        shelf = Shelf(self.execute, "issues", row, made="created_on").fill(430)
        target = "/issues.json?status_id=*&sort=created_on:desc"
        self.spawn("puma", "-b", f"tcp://127.0.0.1:{self.port}", "-e", "production", "-t", "1:1",
                   target=target)
        recipe = {"preset": "redmine", "public": True,
                  "auth": {"header": "X-Redmine-API-Key", "value": setup.split()[-1]}}
        yield Listing("issues", target, shelf, 100, recipe)


class Registry(Program):
    """A registry of container images: the names of all, in their order, by the last one of the page
    above. A repository is a folder."""

    name = "Docker Registry"
    debian = ("docker-registry",)

    def start(self):
        self.root = f"{self.folder}/docker/registry/v2/repositories"
        for _ in range(330):
            self.insert()
        settings = {"version": 0.1, "http": {"addr": f"127.0.0.1:{self.port}"},
                    "storage": {"filesystem": {"rootdirectory": self.folder}}}
        with open(f"{self.folder}/registry.yml", "w", encoding="utf-8") as file:
            json.dump(settings, file)
        target = "/v2/_catalog"
        self.spawn("docker-registry", "serve", file.name, target=target)
        feed = {"path": target[1:], "items": "repositories", "id": ""}
        pages = {"by": "item", "at": "last", "size": "n", "max": 100}
        yield Listing("catalog", target, self, 100, {"pages": pages, "feeds": {"catalog": feed}},
                      rises=True)

    def rows(self):
        """What is there, by name, which it is ordered by."""
        return {name: name for name in os.listdir(self.root)}

    def insert(self):
        """The name of a new repository: it stands anywhere in the list."""
        name = f"image-{secrets.token_hex(4)}"
        os.makedirs(f"{self.root}/{name}/_layers")
        return name

    def delete(self, identity):
        """Deletes a repository."""
        shutil.rmtree(f"{self.root}/{identity}")


PROGRAMS = {
    "django": DjangoREST, "fastapi": FastAPIPagination, "datasette": Datasette, "kinto": Kinto,
    "ironic": Ironic, "wordpress": WordPress, "redmine": Redmine,
    "registry": Registry}
