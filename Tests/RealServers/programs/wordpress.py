"""WordPress of Debian: by page, with totals in header fields."""

import os
import shutil

from programs.base import Listing, Program, app
from programs.shelf import Shelf

MADE = {f"post_{name}": "'{made}'" for name in ("date", "date_gmt", "modified", "modified_gmt")}
TEXTS = {name: "''" for name in ("post_excerpt", "to_ping", "pinged", "post_content_filtered")}
POST = {"ID": "{id}", "post_author": "1", "post_title": "'Post {id}'", "post_name": "'post-{id}'",
        "post_content": "'<p>Words.</p>'", **MADE, **TEXTS}
COMMENT = {"comment_ID": "{id}", "comment_post_ID": "1", "comment_author": "'A reader'",
           "comment_content": "'Comment {id}'", "comment_date": "'{made}'",
           "comment_date_gmt": "'{made}'"}
SECONDS = "%Y-%m-%d %H:%M:%S"


class WordPress(Program):
    """Posts and comments over MariaDB."""

    name = "WordPress"
    debian = ("wordpress", "php-cli", "php-mysql", "mariadb-server")

    def start(self):
        self.start_database()
        site = self.path("site")
        shutil.copytree("/usr/share/wordpress", site)
        shutil.copy(app("wp-config.php"), site)
        options = {"cwd": site, "env": {
            **os.environ, "SOCKET": self.path("socket"), "ORIGIN": self.gate.origin}}
        self.run("php", app("wp-install.php"), **options)
        posts = Shelf(self.query, "wp_posts", POST, "ID", "post_date_gmt", SECONDS,
                      "post_type = 'post' AND post_status = 'publish'").fill(400)
        comments = Shelf(self.query, "wp_comments", COMMENT, "comment_ID", "comment_date_gmt",
                         SECONDS, "comment_approved = '1'").fill(400)
        self.spawn("php", "-S", f"127.0.0.1:{self.port}", **options)
        base = "/wp-json/wp/v2"
        self.wait(f"{base}/posts")
        recipe = {"preset": "wordpress", "baseURL": self.gate.origin + base}
        return [Listing("posts", f"{base}/posts", posts, 100, recipe),
                Listing("comments", f"{base}/comments", comments, 100, recipe)]

    def start_database(self):
        """Starts a new MariaDB with an empty database."""
        socket = f"--socket={self.path('socket')}"
        options = ("--no-defaults", f"--datadir={self.path('data')}", "--user=root")
        self.run("mariadb-install-db", *options, "--auth-root-authentication-method=normal")
        self.spawn("mariadbd", *options, socket, "--skip-networking",
                   f"--pid-file={self.path('pid')}")
        self.client = ("--no-defaults", "--user=root", socket)
        self.run("mariadb-admin", *self.client, "--wait=20", "create", "wordpress")

    def query(self, statement):
        """The rows of a statement."""
        lines = self.run("mariadb", *self.client, "--batch", "--skip-column-names", "--execute",
                         statement, "wordpress")
        return [line.split("\t") for line in lines.splitlines()]
