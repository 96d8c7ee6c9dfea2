"""The explorer page in a real browser: every line of what may be relied on from outside.

    Tests/Explorer/run [--short] [--axe FILE] [--pictures FOLDER] [--only NAME] [--jobs N] PROGRAM

Each check starts the servers it needs and opens pages of its own; it fails with what it saw.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
from concurrent.futures import ProcessPoolExecutor, as_completed

from browser import Browser, BrowserError
from servers import Servers, get, listed, qiita

CHECKS = []
LONG = []


def check(function):
    """A check of every run."""
    CHECKS.append(function)
    return function


def long(function):
    """A check that takes a while."""
    LONG.append(function)
    return function


def expect(is_right, *words):
    """Fails where something is not right."""
    if not is_right:
        raise BrowserError(" ".join(str(word) for word in words) or "it is not right")


class Stand:
    """A browser, and servers."""

    def __init__(self, browser, servers, options):
        self.browser, self.servers, self.options = browser, servers, options
        self.pages = []

    def page(self, address, width=1200, height=900):
        """A page at an address."""
        page = self.browser.page(width, height)
        self.pages.append(page)
        page.go(address)
        return page

    def picture(self, page, name):
        """A picture, where the command says."""
        if self.options.pictures:
            os.makedirs(self.options.pictures, exist_ok=True)
            page.picture(os.path.join(self.options.pictures, f"{name}.png"))

    def judge(self, *origins):
        """No request to anywhere else, no word on the console, no violation of the policy."""
        for page in self.pages:
            words = [word for word in page.console if "401 (Unauthorized)" not in word]
            expect(not words, "console:", words)
            for request in page.requests:
                url = request["url"]
                own = url.startswith(origins) or url.startswith(("data:", "about:"))
                expect(own, "a request to elsewhere:", url)
            page.close()
        self.pages = []


ROWS = "[...document.querySelectorAll('[data-testid=row]')]"
SHOWN = "document.querySelector('[data-testid=shown]')?.textContent"
FEED = "document.querySelector('[data-testid=feed]')"


def rows(page):
    """The identities that are shown, from the top down."""
    return page.run(f"{ROWS}.map((row) => row.dataset.id)")


def settle(page):
    """Waits until the feed has loaded what it wants."""
    page.until(f"{FEED}?.getAttribute('aria-busy') === 'false' && {ROWS}.length > 0")


@check
def frame(stand):
    """Every view has a heading, one nav, one main, and says nothing on the console."""
    address = stand.servers.demo()
    page = stand.page(f"{address}/")
    for view in ["#/", "#/feed/qiita/items", "#/map/qiita/items", "#/why", "#/server", "#/api",
                 "#/feed/fruits/items", "#/feed/qiita/tags/C%23/items", "#/feed/home/items",
                 "#/map/home/items"]:
        page.go(f"{address}/{view}")
        page.until("document.querySelector('main h1')")
        time.sleep(0.4)
        for selector in ["nav", "main", "[data-testid=app]", "[aria-live=polite]"]:
            expect(page.run(f"document.querySelectorAll('{selector}').length") == 1, view, selector)
        expect(page.run("document.querySelector('a').getAttribute('href')") == "#main", view)
        stand.picture(page, view.strip("#/").split("?")[0].replace("/", "-") or "home")
        width = page.run("document.documentElement.scrollWidth")
        expect(width <= 1200, view, "is", width, "wide")
        page.resize(320, 640)
        page.until("innerWidth === 320")
        width = page.run("document.documentElement.scrollWidth")
        expect(width <= 320, view, "is", width, "wide at 320")
        stand.picture(page, f"narrow-{view.strip('#/').split('?')[0].replace('/', '-') or 'home'}")
        page.resize(1200, 900)
    stand.judge(address)


@check
def themes(stand):
    """The theme follows the system until the button is pressed, and is kept."""
    address = stand.servers.demo(20)
    page = stand.page(f"{address}/")
    theme = "document.documentElement.dataset.theme"
    page.until(f"{theme} === 'light'")
    page.resize(1200, 900, dark=True)
    page.until(f"{theme} === 'dark'")
    page.until("document.querySelector('[data-testid=source]')")
    stand.picture(page, "dark-home")
    page.run("document.querySelector('[data-testid=theme]').click()")
    expect(page.run(theme) == "light")
    page.go(f"{address}/#/server")
    page.until(f"{theme} === 'light'")
    stand.judge(address)


@check
def feed(stand):
    """An endless list: each identity once, numbered, walked by keys to its proven end."""
    address = stand.servers.serve({"list": stand.servers.file(
        [{"id": f"n{n}", "title": f"Number {n}"} for n in range(130)])})
    page = stand.page(f"{address}/#/feed/list/items")
    settle(page)
    for _ in range(60):
        page.run("scrollTo(0, document.body.scrollHeight)")
        if page.run("Boolean(document.querySelector('[data-testid=end-row]'))"):
            break
        time.sleep(0.1)
    expect(rows(page) == [f"n{n}" for n in range(130)], rows(page))
    expect(page.run(SHOWN) == "130")
    expect(page.run("document.querySelector('[data-testid=end-row]').dataset.reason") == "end")
    numbers = page.run(f"{ROWS}.map((row) => [row.getAttribute('aria-posinset'), "
                       "row.getAttribute('aria-setsize')].join())")
    expect(numbers == [f"{n + 1},130" for n in range(130)], numbers[:3])
    page.run(f"{ROWS}[3].focus()")
    focused = "document.activeElement.dataset.id"
    for key, identity in [("PageDown", "n4"), ("PageDown", "n5"), ("PageUp", "n4")]:
        page.press(key)
        expect(page.run(focused) == identity, key, page.run(focused))
    page.press("Enter")
    page.until("document.querySelector('[data-testid=json-drawer] pre')?.textContent.includes('n4')")
    page.press("Escape")
    expect(page.run("document.querySelector('[data-testid=json-drawer]')") is None)
    expect(page.run(focused) == "n4" or page.run("document.activeElement.dataset.testid") == "row-json")
    page.run(f"{ROWS}[9].focus()")
    page.press("Home", modifiers=2)
    expect(page.run(focused) == "n0", page.run(focused))
    page.press("End", modifiers=2)
    expect(page.run(f"!{FEED}.contains(document.activeElement)"))
    stand.judge(address)


@check
def identities(stand):
    """Rows of any identity are all there; nothing is fetched beyond what is looked at."""
    hits = [{"objectID": f"h{n}", "id": 7, "title": f"Hit {n}", "at": 1700000000 - n,
             "story": {"key": n}} for n in range(1013)]
    base, asked = stand.servers.listing(hits)
    address = stand.servers.serve({"news": {**listed(base, {
        "hits": {"id": "objectID"}, "stories": {"id": "story.key"},
        "bare": {"item": "story", "id": "objectID"}}), "prefetchItems": 0}})
    for path, names in [("hits", [f"h{n}" for n in range(20)]),
                        ("stories", [str(n) for n in range(20)]), ("bare", None)]:
        page = stand.page(f"{address}/#/feed/news/{path}")
        settle(page)
        time.sleep(1)
        seen = rows(page)
        expect(20 <= len(seen) <= 60, path, "shows", len(seen))
        expect(names is None or seen[:20] == names, path, seen[:3])
        expect(len([one for one in page.requests if "startAfter" in one["url"]]) <= 2, path)
    expect(len(asked) <= 6, asked)
    page = stand.page(f"{address}/#/feed/news/hits?fields=title&at=id:h5")
    settle(page)
    page.run(f"{ROWS}[0].querySelector('[data-testid=row-json]').click()")
    page.until("document.querySelector('[data-testid=json-drawer] pre').textContent"
               ".includes('\"key\"')")
    stand.judge(address)


@check
def parameters(stand):
    """A pattern's variables and a feed's parameters have a control each, named as they are."""
    base, asked = stand.servers.listing(
        [{"id": n, "title": f"Issue {n}", "at": 1700000000 - n} for n in range(30)])
    address = stand.servers.serve({"hub": listed(base, {
        "repos/:owner/:repo/issues": {"allow": ["state", "query"]}, "repos/:owner/forks": {}})})
    page = stand.page(f"{address}/")
    named = ("[...document.querySelectorAll('main input')].filter((input) => (input.ariaLabel "
             "|| input.labels[0]?.textContent || '').includes({0!r}))")
    page.until(f"{named.format('owner')}.length === 1 && {named.format('repo')}.length === 1")
    page.run("document.querySelector('main details').open = true;"
             f"{named.format('owner')}[0].value = 'a/b'; {named.format('repo')}[0].value = 'c d'")
    page.run("document.querySelector('main details form').requestSubmit()")
    settle(page)
    expect(page.run("location.hash") == "#/feed/hub/repos/a%2Fb/c%20d/issues")
    page.run(f"{named.format('state')}[0].value = 'open now+'")
    page.run("document.querySelector('input[type=search]').value = 'Zürich'")
    page.run("document.querySelector('main form').requestSubmit()")
    page.until("location.hash.includes('state=open%20now%2B')")
    settle(page)
    expect(any("query=Z%C3%BCrich" in target and "state=open%20now%2B" in target
               for target in asked), asked[-1])
    page.until(f"{named.format('state')}[0]?.value === 'open now+'")
    page.go(f"{address}/")
    page.until("document.querySelector('main select')")
    page.run("(({ options }) => { options[1].selected = true; })(document.querySelector("
             "'main select')); document.querySelector('main select').dispatchEvent("
             "new Event('change'))")
    page.until(f"{named.format('owner')}.length === 1 && {named.format('repo')}.length === 0")
    stand.judge(address)


@check
def addresses(stand):
    """Reload and back come to the same row; a place is an address."""
    address = stand.servers.demo()
    page = stand.page(f"{address}/#/feed/qiita/items?limit=50")
    settle(page)
    page.run("scrollTo(0, 2500)")
    page.until("location.hash.includes('at=id')")
    first = f"""{ROWS}.find((row) => row.getBoundingClientRect().bottom > 120)?.dataset.id"""
    seen = page.run(first)
    expect(seen in page.run("decodeURIComponent(location.hash)"))
    page.run("location.reload()")
    time.sleep(0.5)
    settle(page)
    page.until(f"{first} === {seen!r}")
    # What is above comes in, and nothing moves.
    page.until(f"{ROWS}[0].dataset.id !== {seen!r}")
    time.sleep(1)
    expect(page.run(first) == seen, "moved to", page.run(first))
    page.run("location.hash = '#/server'")
    page.until("document.querySelector('h1').textContent === 'Server'")
    page.run("history.back()")
    page.until("location.hash.includes('at=id')")
    settle(page)
    page.until(f"{first} === {seen!r}")
    expect(len(rows(page)) == len(set(rows(page))))
    stand.judge(address)


@check
def live(stand):
    """What comes is counted and shown when asked for; what leaves is struck out and stays."""
    address = stand.servers.demo(60)
    page = stand.page(f"{address}/#/feed/qiita/items")
    settle(page)
    before = rows(page)
    get(f"{address}/demo/step?insert=3", "POST")
    pill = "document.querySelector('[data-testid=new-pill]')"
    page.until(f"!{pill}.hidden && /^\\d+\\+? new$/.test({pill}.textContent)")
    expect(rows(page)[:20] == before[:20], "the rows moved")
    page.run(f"{pill}.click()")
    page.until(f"{pill}.hidden && {ROWS}[0].dataset.id !== {before[0]!r}")
    expect(page.run("document.activeElement.dataset.id") == rows(page)[0])
    expect(len(rows(page)) == len(set(rows(page))))
    get(f"{address}/demo/step?delete=40", "POST")
    page.until("document.querySelector('[data-removed]')?.dataset.removed")
    expect(page.run(f"{ROWS}.length") >= 23, "a removed row is gone")
    stand.judge(address)


@check
def hidden(stand):
    """While it is hidden no event stream is open; seen again it goes on after its last event."""
    address = stand.servers.demo(200)
    page = stand.page(f"{address}/#/feed/qiita/items")
    settle(page)
    listening = lambda: get(f"{address}/v1:status")["listeners"]
    wait_for(lambda: listening() == 1, "nobody listens")
    page.hide(True)
    wait_for(lambda: listening() == 0, "a hidden page listens")
    get(f"{address}/demo/step?insert=2", "POST")
    page.hide(False)
    wait_for(lambda: listening() == 1, "nobody listens again")
    pill = "document.querySelector('[data-testid=new-pill]')"
    page.until(f"!{pill}.hidden")
    stand.judge(address)


def wait_for(is_so, words, seconds=30):
    """Waits until something is so."""
    deadline = time.monotonic() + seconds
    while not is_so():
        expect(time.monotonic() < deadline, words)
        time.sleep(0.1)


HOSTILE = [
    {"id": "<script>window.hit=1</script>", "title": "<img src=x onerror='window.hit=2'>",
     "url": "javascript:window.hit=3", "tags": [{"name": "<b onclick='window.hit=4'>x</b>"}],
     "user": {"id": "\"><svg onload='window.hit=5'>", "name": "</script><script>window.hit=6"}},
    {"id": "quote\"'`", "title": "日本語のとても長い題名" * 20, "url": "data:text/html,<script>1</script>"},
    {"id": 12, "title": "a number"}, {"id": "emoji-🙂-\u202e-rtl", "title": "\u202egnp.exe"},
    {"id": "no-title"}, {"id": "link", "title": "a link", "url": "https://example.invalid/a b"},
]


@check
def hostile(stand):
    """What an upstream sent is text: nothing of it runs, and its links are those of the web."""
    address = stand.servers.serve({"bad": stand.servers.file(HOSTILE)})
    page = stand.page(f"{address}/#/feed/bad/items")
    settle(page)
    expect(rows(page) == [str(item["id"]) for item in HOSTILE], rows(page))
    links = page.run(f"{ROWS}.flatMap((row) => [...row.querySelectorAll('a')].map((a) => "
                     "[a.protocol, a.rel].join()))")
    expect(links == ["https:,noopener noreferrer"], links)
    for index in range(len(HOSTILE)):
        page.run(f"{ROWS}[{index}].querySelector('[data-testid=row-json]').click()")
        page.until("document.querySelector('[data-testid=json-drawer] pre')?.textContent.length > 2"
                   " && document.querySelector('[data-testid=json-drawer] pre').textContent"
                   " !== 'Loading…'")
        page.run("document.querySelector('[data-testid=json-drawer] .quiet').click()")
    page.run("[...document.querySelectorAll('button')].find((button) => "
             "button.textContent.startsWith('Copy as')).click()")
    texts = page.run("document.querySelector('[data-testid=copy-text]').textContent")
    expect(texts.startswith("curl"), texts)
    for name in ["Swift", "JavaScript", "curl"]:
        page.run("[...document.querySelectorAll('[data-testid=copy-dialog] [role=tab]')]"
                 f".find((tab) => tab.textContent === '{name}').click()")
        expect(page.run("document.querySelector('[data-testid=copy-text]').textContent"))
    page.run("document.querySelector('[data-testid=copy-dialog]').close()")
    page.go(f"{address}/#/feed/bad/items?limit=0")
    page.until("document.querySelector('[data-testid=error-row]')?.dataset.code")
    page.go(f"{address}/#/feed/bad/items?at=id:%3Cscript%3E")
    page.until("document.querySelector('[data-testid=error-row]')?.dataset.code === 'item_not_found'")
    expect(page.run("document.querySelector('[data-testid=error-row]').getAttribute('role')")
           == "alert")
    expect(page.run("window.hit") is None, "a script of an item ran")
    page.console = [word for word in page.console if "status of 40" not in word]
    stand.judge(address)


@check
def gaps(stand):
    """A gap is a row: filled where that is possible, passed by where one asks for it."""
    port = stand.servers.upstream("--items", "900", "--budget", "3")
    source = qiita(port, prefetchItems=0, reserveCalls=0, newFeedShare=1)
    address = stand.servers.serve({"qiita": source}, {"newFeedsPerMinute": 0})
    page = stand.page(f"{address}/#/feed/qiita/items?limit=20&fields=id,title")
    settle(page)
    middle = get(f"http://127.0.0.1:{port}/api/v2/items?page=5&per_page=100")
    time_of = middle[50]["created_at"].replace("+09:00", "%2B09:00")
    try:
        get(f"{address}/v1/qiita/items?limit=1&startAt=at:{time_of}&wait=20000&fields=id")
    except urllib.error.HTTPError:
        # What the calls that are left do not find is a gap all the same.
        pass
    gap = "document.querySelector('[data-testid=gap-row]')"
    for _ in range(80):
        page.run("scrollTo(0, document.body.scrollHeight)")
        if page.run(f"Boolean({gap})"):
            break
        time.sleep(0.1)
    expect(page.run(f"Boolean({gap})"), "no gap is shown")
    stand.picture(page, "gap")
    count = len(rows(page))
    page.run(f"{gap}.querySelector('[data-testid=gap-fill]').click()")
    page.until(f"{gap}.textContent.includes('Try again')")
    page.run(f"{gap}.querySelector('[data-testid=gap-skip]').click()")
    page.until(f"{ROWS}.length > {count}")
    expect(len(rows(page)) == len(set(rows(page))))
    view = stand.page(f"{address}/#/map/qiita/items")
    items = "[...document.querySelectorAll('[data-testid={}]')].map((part) => +part.dataset.items)"
    view.until(f"{items.format('map-gap')}.length === 1")
    status = get(f"{address}/v1/qiita/items:status")
    expect(view.run(items.format("map-run")) == [run["items"] for run in status["runs"]])
    expect(view.run(items.format("map-gap")) == [status["gaps"][0]["estimatedItems"]])
    label = view.run("document.querySelector('[data-testid=map]').getAttribute('aria-label')")
    expect("1 gap" in label, label)
    stand.picture(view, "map-gap")
    for shown in [page, view]:
        shown.console = [word for word in shown.console if "status of 503" not in word]
    stand.judge(address)


@check
def key(stand):
    """The key is asked for once, and is in no address, no cookie and no other tab."""
    secret = "a-key-that-opens"
    address = stand.servers.serve(
        {"list": stand.servers.file([{"id": "a", "title": "A"}])}, {"apiKeys": [secret]})
    page = stand.page(f"{address}/#/feed/list/items")
    dialog = "document.querySelector('[data-testid=key-dialog]')"
    for given in ["wrong-wrong", secret]:
        page.until(f"{dialog}?.open")
        stand.picture(page, "key")
        expect(page.run(f"{dialog}.querySelectorAll('input[type=password]').length") == 1)
        page.run(f"{dialog}.querySelector('input').value = {given!r};"
                 f"{dialog}.querySelector('button').click()")
        time.sleep(0.5)
    settle(page)
    expect(rows(page) == ["a"])
    expect(secret not in page.run("location.href + document.cookie + JSON.stringify(localStorage)"))
    expect(all(secret not in request["url"] for request in page.requests))
    sent = [request for request in page.requests if "Authorization" in request["headers"]]
    expect(any(request["headers"]["Authorization"] == f"Bearer {secret}" for request in sent))
    other = stand.page(f"{address}/")
    other.until(f"{dialog}?.open")
    stand.judge(address)


@check
def why(stand):
    """Pages by number lose and double, Tsugi does neither; judged by the upstream's own truth."""
    address = stand.servers.demo()
    page = stand.page(f"{address}/")
    page.until("document.querySelector('main a[href=\"#/why\"]')")
    page.run("document.querySelector('main a[href=\"#/why\"]').click()")
    page.until("document.querySelector('[data-testid=race-start]')")
    # It begins by itself; the button does no harm meanwhile.
    page.run("document.querySelector('[data-testid=race-start]').click()")
    lane = "document.querySelector('[data-testid=race-{}]').dataset"
    page.until(f"{lane.format('naive')}.done === 'true'", 60)
    naive, tsugi = [page.run(f"({{...{lane.format(name)}}})") for name in ["naive", "tsugi"]]
    stand.picture(page, "why")
    expect(int(naive["rows"]) == 400, naive)
    expect(int(naive["doubles"]) + int(naive["lost"]) > 0, "nothing to show:", naive)
    expect((tsugi["doubles"], tsugi["lost"]) == ("0", "0"), tsugi)
    expect(int(tsugi["rows"]) == 400, tsugi)
    stand.judge(address)


LOST = "(({ hidden, textContent }) => !hidden && textContent)(document.querySelector('#lost'))"


@check
def well(stand):
    """Home says what this is, and nothing is red where all is well."""
    address = stand.servers.serve(
        {"list": stand.servers.file([{"id": n, "name": f"Number {n}"} for n in range(40)])})
    get(f"{address}/v1/list/items")
    time.sleep(3)
    page = stand.page(f"{address}/")
    page.until("document.querySelector('main svg')")
    lines = page.run("document.querySelector('main').innerText.split('\\n').filter(Boolean)")
    expect("one list" in lines[0] and "exactly once" in lines[1], lines[:2])
    card, main = [page.run(f"document.querySelector('{name}').getBoundingClientRect().right")
                  for name in ["[data-testid=source]", "main"]]
    expect(main - card < 40, "the only card leaves half of the screen empty:", card, main)
    red = "[...document.querySelectorAll('.expired:not(.sw), .bad, .errorrow')].length"
    for view in ["#/", "#/feed/list/items", "#/map/list/items", "#/server"]:
        page.go(f"{address}/{view}")
        page.until("document.querySelector('main h1')")
        time.sleep(1.5)
        expect(page.run(red) == 0, view, "shows red")
    stand.judge(address)


@check
def away(stand):
    """A server that is gone or slow is said, nothing shown is lost, and all goes on by itself."""
    items = [{"id": f"n{n}", "title": f"Number {n}", "at": 1700000000 - n} for n in range(90)]
    base, _ = stand.servers.listing(items)
    address = stand.servers.serve(
        {"list": {**listed(base, {"items": {}}), "freshSeconds": 1, "refreshSeconds": 1}})
    views = ["#/", "#/feed/list/items", "#/map/list/items", "#/server", "#/api"]
    pages = [stand.page(f"{address}/{view}") for view in views]
    settle(pages[1])
    for page in pages:
        # A tab behind another is hidden, and asks nothing.
        page.hide(False)
        page.until("document.querySelector('main .card')"
                   " && !document.querySelector('main .card').innerText.includes('Loading…')")

    def heads():
        return [page.run("[document.querySelector('h1')?.textContent, Boolean(document"
                         ".querySelector('main :is(article, svg, td, details.operation)'))]")
                for page in pages]

    def is_lost():
        for page, view in zip(pages, views):
            text = page.until(LOST, 15)
            expect(re.search(r"No answer since .*\d:\d\d", text), view, text)
        expect(all(now >= then for now, then in zip(heads(), before)), "not kept:", heads())
        expect(len(rows(pages[1])) >= 20, "the rows are gone")

    def goes_on():
        for page in pages:
            page.until(f"!{LOST}", 20)
            page.requests.clear()
        wait_for(lambda: any(":status" in one["url"] for one in pages[2].requests), "no map", 20)
        wait_for(lambda: any("v1:status" in one["url"] for one in pages[3].requests), "no figures")
        expect(all(now >= then for now, then in zip(heads(), before)), "not kept:", heads())

    before = heads()
    stand.servers.signal(address, signal.SIGSTOP)
    is_lost()
    stand.servers.signal(address, signal.SIGCONT)
    goes_on()
    start = stand.servers.restart(address)
    is_lost()
    # A view that is opened meanwhile comes once there is an answer.
    items.insert(0, {"id": "new", "title": "New", "at": 1700000009})
    pages[4].run("location.hash = '#/feed/list/items?limit=5'")
    start()
    before[4] = None
    pages[4].until(f"{ROWS}.length > 4", 20)
    before[4] = heads()[4]
    goes_on()
    pages[1].until("!document.querySelector('[data-testid=new-pill]').hidden", 40)
    pages[1].slow(4000)
    for view in ["#/server", "#/map/list/items", "#/feed/list/items", "#/api", "#/"]:
        pages[1].run(f"location.hash = '{view}'")
        pages[1].until("document.querySelector('#ready .text').textContent === 'waiting…'", 3)
        expect(pages[1].run("document.querySelector('main').innerText"), view, "says nothing")
    for page in pages:
        page.console = [word for word in page.console if "net::ERR" not in word]
    stand.judge(address)


ODD = [{"@id": f"x/{n}", "at": 1700000000 - n, "class": "a \"b\" \\(c)", "a-b": n / 2, "2nd": None,
        "user": {"id": n, "name": None if n % 2 else "N", "type": "t"}, "tags": [{"name": "x"}],
        "none": [], "self": True, "string": {"string": {"item": 1}}, "mixed": [1, "a"][n % 2],
        **({"late": [[1.5]]} if n else {})} for n in range(45)]


@check
def copies(stand):
    """What is copied compiles and runs, and walks the whole feed."""
    secret = "a-key-that-opens"
    base, _ = stand.servers.listing(ODD)
    address = stand.servers.serve({"hub": {**listed(base, {
        "repos/:owner/issues": {"id": "@id", "allow": ["query"]},
        "users": {"id": "user.id"}}), "newFeedShare": 1}}, {"apiKeys": [secret]})
    page = stand.page(f"{address}/openapi.json")
    page.run(f"sessionStorage.setItem('tsugi.key', {secret!r})")
    folder = tempfile.mkdtemp()
    for view in ["repos/a%2F'b/issues?query=say%20%22a'b%22", "users?fields=user.id,at",
                 "repos/c/issues"]:
        page.go(f"{address}/#/feed/hub/{view}")
        settle(page)
        page.run("[...document.querySelectorAll('button')].find((button) => "
                 "button.textContent.startsWith('Copy as')).click()")
        texts = {}
        for name in ["curl", "Swift", "JavaScript"]:
            page.run("[...document.querySelectorAll('[data-testid=copy-dialog] [role=tab]')]"
                     f".find((tab) => tab.textContent === '{name}').click()")
            text = page.run("document.querySelector('[data-testid=copy-text]').textContent")
            texts[name] = text.replace("<key>", secret)
        expect("QiitaItem" not in texts["Swift"] and "var id: " in texts["Swift"], texts["Swift"])
        for name, file, command in [
                ("curl", "walk.sh", ["bash"]), ("JavaScript", "walk.mjs", ["node"]),
                ("Swift", "main.swift", [
                    "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I",
                    os.path.join(os.path.dirname(stand.servers.program), "Modules")])]:
            path = os.path.join(folder, file)
            with open(path, "w", encoding="utf-8") as program:
                program.write(texts[name])
            done = subprocess.run([*command, path], capture_output=True, text=True, check=False)
            expect(done.returncode == 0, view, name, texts[name], done.stderr[-2000:])
            if name == "curl":
                lines = done.stdout[done.stdout.index("\n") + 1:] if "\n" in done.stdout else ""
                expect(len(re.findall(r'^\{.*"user"', done.stdout, re.M)) >= 45, view, lines[:200])
            if name == "JavaScript":
                expect(done.stdout.count("user: ") == 45, view, done.stdout[:300])
        page.run("document.querySelector('[data-testid=copy-dialog]').close()")
    shutil.rmtree(folder)
    stand.judge(address)


@check
def merged(stand):
    """A merged feed shows of which part each row is, once, and the map its parts."""
    address = stand.servers.demo(60)
    page = stand.page(f"{address}/#/feed/home/items?limit=100")
    settle(page)
    parts = "[...new Set([...document.querySelectorAll('.meta .chip:first-child')]" \
            ".map((chip) => chip.textContent))].sort().join()"
    page.until(f"{parts} === 'articles,fruits,team'")
    shown = rows(page)
    expect(len(set(shown)) == len(shown) > 60, "of", len(shown), "rows", len(set(shown)))
    expect(all(name.split("/")[0] in ("articles", "fruits", "team") for name in shown))
    page.run("document.querySelector('[data-id^=\"fruits/\"] [data-testid=row-json]').click()")
    page.until("document.querySelector('[data-testid=json-drawer] pre').textContent"
               ".includes('picked_at')")
    stand.picture(page, "merged")
    page.go(f"{address}/#/map/home/items")
    page.until("document.querySelectorAll('[data-testid=parts] tbody tr').length === 3")
    stand.picture(page, "merged-map")
    page.run("document.querySelector('[data-testid=parts] a[href=\"#/map/team/items\"]').click()")
    page.until("document.querySelector('[data-testid=map] rect')")
    stand.judge(address)


@check
def keys(stand):
    """Keys go through rows, to the search and to a help card; the focus comes back."""
    address = stand.servers.demo(100)
    page = stand.page(f"{address}/#/feed/qiita/items")
    settle(page)
    focused = "document.activeElement.dataset.id"
    first, second, third = rows(page)[:3]
    for pressed, identity in [("j", first), ("j", second), ("ArrowDown", third), ("k", second),
                              ("ArrowUp", first), ("j", second)]:
        page.press(pressed)
        expect(page.run(focused) == identity, pressed, page.run(focused))
    page.press("Enter")
    page.until("document.querySelector('[data-testid=json-drawer]')")
    page.press("Escape")
    expect(page.run(focused) == second, "the focus is not back after Enter")
    page.press("?")
    page.until("document.querySelector('[data-testid=help-dialog]')?.open")
    page.press("Escape")
    page.until("!document.querySelector('[data-testid=help-dialog]')")
    expect(page.run(focused) == second, "the focus is not back after the card")
    page.press("/")
    expect(page.run("document.activeElement.type") == "search")
    page.press("j")
    expect(page.run("document.activeElement.type") == "search", "a typed j is a key")
    page.run(f"{ROWS}[4].focus()")
    fifth = page.run(focused)
    time.sleep(0.6)
    page.run("location.hash = '#/server'")
    page.until("document.querySelector('h1').textContent === 'Server'")
    page.run("history.back()")
    settle(page)
    page.until(f"{focused} === {fifth!r}")
    for view in ["#/nothing", "#/feed/none/items", "#/feed/qiita/none", "#/map/none/items",
                 "#/feed/qiita"]:
        page.run(f"location.hash = '{view}'")
        page.until("document.querySelector('[data-testid=unknown]')?.textContent"
                   f".includes('{view}')")
    page.go(f"{address}/#/api")
    page.until("document.querySelector('[data-testid=operation]')")
    names = page.run("[...document.querySelectorAll('[data-testid=operation] summary')]"
                     ".map((summary) => summary.innerText)")
    expect("slice" in names[0], names[0])
    expect(len(names) == len({re.sub(r"/v1/\S*?(:\w+)?(?=\s)", r"\1", name) for name in names}))
    expect(sum(":status" in name and "feed" in name for name in names) == 1, names)
    page.run("document.querySelectorAll('[data-testid=operation]')[0].open = true")
    page.until("document.querySelector('[data-testid=operation] form')")
    page.run("document.querySelector('[data-testid=operation] form').requestSubmit()")
    page.until("document.querySelector('[data-testid=operation] pre').innerText.includes('200')")
    stand.judge(address)


@check
def narrow(stand):
    """At 390 pixels content comes first, in plain words, and nothing breaks letter by letter."""
    address = stand.servers.serve({"list": stand.servers.file(
        [{"id": n, "title": f"Number {n}", "tags": ["supercalifragilistic-expialidocious-" * 3]}
         for n in range(30)])})
    page = stand.page(f"{address}/#/feed/list/items", 390, 844)
    settle(page)
    stand.picture(page, "narrow-feed")
    top = page.run(f"{ROWS}[0].getBoundingClientRect().top")
    expect(top < 420, "the first item is at", top)
    expect(page.run("[...document.querySelectorAll('main details')].every(({ open }) => !open)"))
    chip = page.run("document.querySelector('.chip').getBoundingClientRect().height")
    expect(chip <= 26, "a chip is", chip, "high")
    page.run("for (const details of document.querySelectorAll('details')) details.open = true")
    text = page.run("document.querySelector('main').innerText")
    for word in ["Change no.", "Looked at", "Proven", "value"]:
        expect(word not in text, word)
    page.run("location.hash = '#/map/list/items'")
    page.until("document.querySelector('td')")
    table = page.run("""(({ scrollWidth, clientWidth }, { backgroundImage }) =>
        [scrollWidth, clientWidth, backgroundImage])(document.querySelector('.scrollx'),
        getComputedStyle(document.querySelector('.scrollx')))""")
    expect(table[0] > table[1] and "gradient" in table[2], "no hint:", table)
    stand.judge(address)


FOREIGN = r"""(() => {
    const found = [];
    const isOurs = (element) => !element.closest('pre, code, .mono, article, option, td, #nothing, '
      + '.operation, h1 span, .case, .cell');
    for (const element of document.querySelectorAll('body *:not(script, style, noscript)')) {
        if (!isOurs(element)) continue;
        const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === 3)
            .map(({ data }) => data);
        texts.push(...['aria-label', 'placeholder', 'title'].map((name) =>
            element.getAttribute(name) ?? ''));
        found.push(...texts.filter((text) => /[A-Za-z]{3,}[ …][a-z]{2,}|^[A-Z][a-z]+$/.test(text)
            && !/^(Tsugi|English|Ctrl|Enter|Escape|PageDown|PageUp)/.test(text.trim())));
    }
    return found;
})()"""


@check
def languages(stand):
    """Japanese beside English, by the browser and by a switch; no text is missing."""
    folder = os.path.join(os.path.dirname(__file__), "../../Sources/CExplorer/page")
    source = ""
    for name in os.listdir(folder):
        if name.endswith(".js") and name != "words.js":
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                source += file.read()
    address = stand.servers.demo()
    page = stand.page(f"{address}/")
    page.until("document.documentElement.lang === 'en' && document.querySelector('.card')")
    table = page.run("words")
    lacking = [name for name, pair in table.items() if len(pair) != 2 or not all(pair)]
    expect(not lacking, "not in both languages:", lacking)
    differing = [name for name, pair in table.items() if sorted(re.findall(r"{\d?}", pair[0])) !=
                 sorted(re.sub(r"\d", "", mark) for mark in re.findall(r"{\d?}", pair[1]))]
    expect(not differing, "not the same places:", differing)
    used = set(re.findall(r"\bt\('(\w+)'", source)) | set(re.findall(r"'(\w+)'", source))
    families = tuple(re.findall(r"\bt\(`(\w+_)\$", source))
    idle = [name for name in table if name not in used and not name.startswith(families)
            and name not in source]
    expect(not idle, "not used:", idle)
    unknown = [name for name in re.findall(r"\bt\('(\w+)'", source) if name not in table]
    expect(not unknown, "not in the table:", unknown)
    page.speak("ja-JP")
    for view in ["#/", "#/feed/qiita/items", "#/map/qiita/items", "#/why", "#/server", "#/api",
                 "#/nothing", "#/feed/fruits/items"]:
        page.go(f"{address}/{view}")
        page.until("document.documentElement.lang === 'ja' && document.querySelector('main h1')")
        time.sleep(1.5)
        page.press("?")
        foreign = page.run(FOREIGN)
        expect(not foreign, view, "is not Japanese:", foreign)
    page.press("Escape")
    page.run("document.querySelector('[data-testid=language]').click()")
    page.until("document.documentElement.lang === 'en'")
    page.go(f"{address}/")
    page.until("document.documentElement.lang === 'en'")
    stand.judge(address)


@long
def endless(stand):
    """9,000 rows: no double, a heap below 20 MB, no long task over 150 ms."""
    port = stand.servers.upstream("--items", "9400")
    address = stand.servers.serve({"qiita": qiita(port, prefetchItems=500)})
    page = stand.page(f"{address}/#/feed/qiita/items?limit=100&fields=id,title,created_at")
    settle(page)
    page.run("""window.longTasks = []; new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) longTasks.push(entry.duration);
    }).observe({ entryTypes: ['longtask'] })""")
    deadline = time.monotonic() + 300
    while page.run(f"{ROWS}.length") < 9000:
        expect(time.monotonic() < deadline, "only", page.run(SHOWN))
        page.run("scrollBy(0, 4000)")
        time.sleep(0.02)
    seen = rows(page)
    expect(len(seen) == len(set(seen)), "a row is there twice")
    page.send("HeapProfiler.collectGarbage")
    heap = page.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    longest = max(page.run("longTasks"), default=0)
    print(f"  {len(seen)} rows, heap {heap:.1f} MB, longest task {longest:.0f} ms")
    expect(heap < 20, "heap", heap, "MB")
    expect(longest <= 150, "a task of", longest, "ms")
    stand.judge(address)


@long
def accessible(stand):
    """No violation of WCAG 2.2 AA that axe finds, in both themes."""
    if not stand.options.axe:
        return print("  left out: no axe is named")
    with open(stand.options.axe, encoding="utf-8") as file:
        script = file.read()
    address = stand.servers.demo()
    for dark in [False, True]:
        page = stand.page(f"{address}/")
        page.resize(1200, 900, dark=dark)
        for view in ["#/", "#/feed/qiita/items", "#/map/qiita/items", "#/why", "#/server", "#/api"]:
            page.go(f"{address}/{view}")
            page.until("document.querySelector('main h1')")
            time.sleep(1.5)
            page.run(script + "; 0")
            found = page.run("""axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a',
                'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations.map((violation) =>
                [violation.id, violation.nodes[0].html.slice(0, 160),
                 violation.nodes[0].any[0]?.message]))""")
            expect(not found, view, "dark" if dark else "light", found)
    stand.judge(address)


def play(one, options):
    """Plays a check, and says how it ended; whether it passed."""
    name = one.__name__
    begun = time.monotonic()
    servers, browser = Servers(os.path.abspath(options.program)), Browser()
    try:
        one(Stand(browser, servers, options))
        print(f"ok      {name} ({time.monotonic() - begun:.1f} s)", flush=True)
        return True
    except BrowserError as error:
        print(f"FAILED  {name}: {error}", flush=True)
        return False
    finally:
        browser.close()
        servers.close()


def main():
    """Plays the checks that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the tsugi to look at")
    parser.add_argument("--short", action="store_true", help="only what takes seconds")
    parser.add_argument("--axe", help="axe-core's script")
    parser.add_argument("--pictures", help="a folder for pictures of what was seen")
    parser.add_argument("--only", action="append", help="the name of a check; may be repeated")
    parser.add_argument(
        "--jobs", type=int, default=3, help="how many checks are played beside each other")
    options = parser.parse_args()
    checks = CHECKS + ([] if options.short else LONG)
    if options.only:
        checks = [one for one in CHECKS + LONG if one.__name__ in options.only]
    # Most of a check is waiting, and each has its own servers and browser.
    with ProcessPoolExecutor(options.jobs) as workers:
        done = [workers.submit(play, one, options) for one in checks]
        failures = sum(not one.result() for one in as_completed(done))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
