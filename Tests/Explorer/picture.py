"""Draws the picture at the top of the README: pages by number beside the same list through Tsugi.

    Tests/Explorer/picture [FILE]

The demo is read anew until some article came twice and one never: which ones, chance decides.
"""

import os
import sys

from browser import Browser, BrowserError
from servers import Servers

TRIES = 20
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
    page.until("document.querySelector('[data-testid=race-start]')")
    page.run("document.querySelector('[data-testid=race-start]').click()")
    page.until("document.querySelector('.cases').children.length", 60)
    naive, tsugi = (page.run(LANE.format(name)) for name in ["naive", "tsugi"])
    if (tsugi["doubles"], tsugi["lost"]) != ("0", "0"):
        raise BrowserError(f"the feed is not seamless: {tsugi}")
    shows = int(naive["doubles"]) > 0 and int(naive["lost"]) > 0
    if shows:
        page.picture(path, page.run(PLACE))
    page.close()
    return shows


def main():
    """Draws it; each try has a demo of its own, which has read nothing yet."""
    program, path = sys.argv[1:]
    servers, browser = Servers(os.path.abspath(program)), Browser()
    try:
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
