"""A proxy between Tsugi and a program: counts the calls, and has a writer write before each."""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Fields of one connection (RFC 9110 §7.6.1), and those that are made anew.
HOP_FIELDS = {"connection", "keep-alive", "transfer-encoding", "content-length", "upgrade"}


class Gate:
    """Listens at a free port for the program at `target`, a port of this machine."""

    def __init__(self, target):
        self.target, self.calls, self.write = target, 0, None
        self.lock = threading.Lock()
        gate = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                gate.forward(self)

            do_HEAD = do_OPTIONS = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A caller that does not wait for its answer is no fault.
        self.server.handle_error = lambda *_: None
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def forward(self, request):
        """Forwards one call at a time, so that all answers are of one history. The program gets
        the proxy's own Host, so that its links lead here."""
        with self.lock:
            if self.write:
                self.write()
            self.calls += 1
            fields = {name: value for name, value in request.headers.items()
                      if name.lower() not in HOP_FIELDS}
            program = http.client.HTTPConnection("127.0.0.1", self.target, timeout=60)
            try:
                program.request(request.command, request.path, headers=fields)
                answer = program.getresponse()
                body = answer.read()
            except OSError:
                return request.send_error(502)
            finally:
                program.close()
        request.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_FIELDS:
                request.send_header(name, value)
        if answer.status not in (204, 304):
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(body)
