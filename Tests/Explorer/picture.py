"""Draws the picture at the top of the README: pages by number beside the same list through Tsugi.

    Tests/Explorer/picture [FILE]
    Tests/Explorer/picture FOLDER/

The demo is read once more until some article came twice and one never: which ones, chance decides.
A folder gets a picture of every view in both themes, both languages and three widths.
"""

import os
import sys
import time

from browser import Browser, BrowserError
from servers import Servers

TRIES = 20
VIEWS = {
    "home": "#/", "feed": "#/feed/qiita/items", "file": "#/feed/fruits/items",
    "map": "#/map/qiita/items", "why": "#/why", "server": "#/server", "api": "#/api",
    "unknown": "#/nothing",
}
WIDTHS = [390, 768, 1200]
BYTES_MAX = 60_000
# Both lanes, with some of what is around them.
PLACE = """(({ x, y, width, height }) => ({
    x: x - 8, y: y + scrollY - 8, width: width + 16, height: height + 16, scale: 1,
}))(document.querySelector('.race').getBoundingClientRect())"""
LANE = "({{...document.querySelector('[data-testid=race-{}]').dataset}})"


def draw(browser, address, path):
    """Reads both ways; whether the picture shows what it is for."""
    page = browser.page(960, 900)
    page.send("Emulation.setScrollbarsHidden", {"hidden": True})
    page.go(f"{address}/#/why?pages=20")
    page.until("document.querySelector('.cases').children.length", 60)
    naive, tsugi = (page.run(LANE.format(name)) for name in ["naive", "tsugi"])
    if (tsugi["doubles"], tsugi["lost"]) != ("0", "0"):
        raise BrowserError(f"the feed is not seamless: {tsugi}")
    shows = int(naive["doubles"]) > 0 and int(naive["lost"]) > 0
    if shows:
        page.picture(path, page.run(PLACE))
    page.close()
    return shows


def draw_views(browser, address, folder):
    """Every view, as it is a while after it was opened."""
    os.makedirs(folder, exist_ok=True)
    page = browser.page()
    page.go(f"{address}/")
    for name, view in VIEWS.items():
        page.run(f"localStorage.clear(); location.hash = {view!r}")
        page.go(f"{address}/{view}")
        time.sleep(6 if name == "why" else 1.5)
        for language in ["en", "ja"]:
            page.until(f"document.documentElement.lang === {language!r} || document.querySelector("
                       "'[data-testid=language]').click()")
            time.sleep(6 if name == "why" else 0.5)
            for width in WIDTHS:
                for theme in ["light", "dark"]:
                    page.resize(width, 844, dark=theme == "dark")
                    page.until(f"innerWidth === {width}")
                    time.sleep(0.2)
                    page.picture(os.path.join(folder, f"{name}-{language}-{theme}-{width}.png"))
    print(f"{folder}: {len(os.listdir(folder))} pictures")


def main():
    """Draws what is asked for; each try has a demo of its own, which has read nothing yet."""
    program, path = sys.argv[1:]
    servers, browser = Servers(os.path.abspath(program)), Browser()
    try:
        if path.endswith("/"):
            return draw_views(browser, servers.demo(), path)
        if not any(draw(browser, servers.demo(), path) for _ in range(TRIES)):
            raise BrowserError("nothing was lost in any try")
    finally:
        browser.close()
        servers.close()
    size = os.path.getsize(path)
    if size > BYTES_MAX:
        raise BrowserError(f"{path} has {size} bytes, more than {BYTES_MAX}")
    print(f"{path}: {size} bytes")


if __name__ == "__main__":
    main()
