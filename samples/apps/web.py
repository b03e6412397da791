# SPDX-License-Identifier: Apache-2.0
"""The little that all the web services of the shop share: answering, asking, and doing both in JSON."""
import json
import os
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

POD = os.environ.get("HOSTNAME", "nobody")


def ask(url):
    """What another service says. Raises OSError when it cannot be reached or says no."""
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


def serve(pages, port=8080):
    """Answers each path with what its function returns. A service that does not get an answer itself gives a 502."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            page = pages.get(self.path.split("?")[0])
            if self.path == "/healthz":
                self.reply(200, {"ok": True})
            elif page is None:
                self.reply(404, {"error": "no page " + self.path})
            else:
                try:
                    self.reply(200, page())
                except OSError as problem:
                    self.reply(502, {"error": str(problem), "pod": POD})

        def reply(self, status, content):
            body = json.dumps(content).encode() + b"\n"
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            if self.path != "/healthz":
                print(status, self.path, self.client_address[0], flush=True)

        def log_message(self, *_):
            pass  # reply() prints a line of its own

    ThreadingHTTPServer(("", port), Handler).serve_forever()
