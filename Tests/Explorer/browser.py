"""Chromium, driven over its debugging pipe: no port, no library.

A Browser is one process with a profile of its own that goes with it. A Page is one tab: it goes to
an address, evaluates JavaScript, presses keys, takes pictures, and keeps what was said on the
console, which requests were made, and which long tasks there were.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time


class BrowserError(Exception):
    """What the browser, or a script in the page, says is wrong."""


class Browser:
    """A browser without a window."""

    PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]

    def __init__(self, width=1200, height=900):
        program = next((name for name in self.PROGRAMS if shutil.which(name)), None)
        if program is None:
            raise BrowserError("there is no chromium")
        self.profile = tempfile.mkdtemp(prefix="tsugi-explorer-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def take_pipes():
            # It reads 3 and writes 4.
            spare = [os.dup2(fd, 60 + index) for index, fd in enumerate([to_browser, from_browser])]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [shutil.which(program), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"],
            close_fds=False, preexec_fn=take_pipes,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.replies = {}
        self.pages = {}
        self.changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def close(self):
        """Ends it and takes its profile away."""
        # Killed, it leaves children that write into the profile for a while.
        try:
            self.send("Browser.close", seconds=10)
            self.process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def page(self, width=1200, height=900):
        """A new tab of a size."""
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.send(
            "Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        return Page(self, session, target, width, height)

    def send(self, method, parameters=None, session=None, seconds=60):
        """Sends a command and returns its result."""
        with self.changed:
            self.number += 1
            number = self.number
        message = {"id": number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + seconds
        with self.changed:
            while number not in self.replies:
                if not self.changed.wait(deadline - time.monotonic()):
                    raise BrowserError(f"{method} is not answered")
            reply = self.replies.pop(number)
        if "error" in reply:
            raise BrowserError(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def _read(self):
        rest = b""
        while True:
            part = os.read(self.input, 1 << 20)
            if not part:
                return
            rest += part
            *messages, rest = rest.split(b"\0")
            for message in messages:
                self._take(json.loads(message))

    def _take(self, message):
        with self.changed:
            if "id" in message:
                self.replies[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].note(message["method"], message["params"])
            self.changed.notify_all()


class Page:
    """One tab."""

    def __init__(self, browser, session, target, width, height):
        self.browser, self.session, self.target = browser, session, target
        self.console, self.requests = [], []
        self.width, self.height = width, height
        browser.pages[session] = self
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.send(f"{domain}.enable")
        self.resize(width, height)

    def send(self, method, parameters=None):
        """Sends a command to the tab."""
        return self.browser.send(method, parameters, self.session)

    def note(self, method, parameters):
        """Keeps what the tab tells."""
        if method == "Runtime.consoleAPICalled":
            words = [str(value.get("value", value.get("description")))
                     for value in parameters["args"]]
            self.console.append(f"{parameters['type']}: {' '.join(words)}")
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            text = details.get("exception", {}).get("description", details["text"])
            self.console.append(f"exception: {text}")
        elif method == "Log.entryAdded":
            entry = parameters["entry"]
            self.console.append(f"{entry['level']}: {entry['text']} {entry.get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"])

    def resize(self, width, height, dark=False, calm=True):
        """Sets its size, and what its user likes."""
        self.send("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.send("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}]})

    def go(self, address):
        """Goes to an address, and waits until its document is there."""
        self.send("Page.navigate", {"url": "about:blank"})
        self.send("Page.navigate", {"url": address})
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script):
        """The value of an expression, which may be a promise."""
        result = self.send("Runtime.evaluate", {
            "expression": script, "awaitPromise": True, "returnByValue": True,
            "userGesture": True})
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def until(self, script, seconds=30):
        """Waits until an expression is true, and returns its value."""
        deadline = time.monotonic() + seconds
        while True:
            value = None
            try:
                value = self.run(script)
            except BrowserError as error:
                if time.monotonic() > deadline:
                    raise
                if "Cannot find context" not in str(error) and "navigated" not in str(error):
                    value = None
            # An element's own value is an empty object.
            if value or value == {}:
                return value
            if time.monotonic() > deadline:
                raise BrowserError(f"it does not become true: {script}")
            time.sleep(0.05)

    def press(self, key, modifiers=0):
        """Presses a key; modifiers are 1 Alt, 2 Ctrl, 4 Meta, 8 Shift."""
        codes = {"Enter": 13, "Escape": 27, "PageDown": 34, "PageUp": 33, "Home": 36, "End": 35,
                 "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "j": 74, "k": 75, "/": 191, "?": 191}
        event = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key],
                 "modifiers": modifiers}
        if key == "Enter":
            event["text"] = "\r"
        self.send("Input.dispatchKeyEvent", {"type": "keyDown", **event})
        self.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def slow(self, milliseconds):
        """Has each of its requests take so long."""
        self.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": milliseconds, "downloadThroughput": -1,
            "uploadThroughput": -1})

    def speak(self, language):
        """Takes its user for one who reads a language."""
        agent = self.run("navigator.userAgent")
        self.send("Emulation.setUserAgentOverride",
                  {"userAgent": agent, "acceptLanguage": language})

    def hide(self, is_hidden):
        """Takes the page for hidden, or seen again, as a browser tells it."""
        state = "hidden" if is_hidden else "visible"
        self.run(f"""(() => {{
            Object.defineProperty(document, 'hidden',
              {{ value: {str(is_hidden).lower()}, configurable: true }});
            Object.defineProperty(document, 'visibilityState',
              {{ value: '{state}', configurable: true }});
            document.dispatchEvent(new Event('visibilitychange'));
        }})()""")

    def picture(self, path, clip=None):
        """Writes what is seen, or a part of the page, to a file."""
        options = {"format": "png", **({"clip": clip, "captureBeyondViewport": True} if clip else {})}
        data = self.send("Page.captureScreenshot", options)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        """Closes the tab."""
        self.browser.pages.pop(self.session, None)
        self.browser.send("Target.closeTarget", {"targetId": self.target})
