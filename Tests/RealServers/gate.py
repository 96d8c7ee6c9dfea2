"""A proxy between Tsugi and a program: counts the calls, and has a writer write before each."""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Fields of one connection (RFC 9110 §7.6.1), and those that are made anew.
HOP_FIELDS = "connection", "keep-alive", "transfer-encoding", "content-length", "upgrade"


class Gate(ThreadingHTTPServer):
    """Listens at a free port for the program at `target`, a port of this machine."""

    daemon_threads = True

    def __init__(self, target):
        super().__init__(("127.0.0.1", 0), Call)
        self.target, self.calls, self.write, self.lock = target, 0, None, threading.Lock()
        self.origin = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """A caller that does not wait for its answer is no fault."""


class Call(BaseHTTPRequestHandler):
    """Forwards one call at a time, so that all answers are of one history. The program gets the
    proxy's own Host, so that its links lead here."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Answers as the program does."""
        program = http.client.HTTPConnection("127.0.0.1", self.server.target, timeout=60)
        with self.server.lock:
            if self.server.write:
                self.server.write()
            self.server.calls += 1
            program.request("GET", self.path, headers=own(self.headers))
            answer = program.getresponse()
            body = answer.read()
            program.close()
        self.send_response_only(answer.status)
        for name, value in own(answer.headers).items():
            self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def own(fields):
    """The fields without those of one connection."""
    for name in HOP_FIELDS:
        del fields[name]
    return fields
