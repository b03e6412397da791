# SPDX-License-Identifier: Apache-2.0
"""Answers with the service and the cluster that it is of, and whether a waypoint was on the way: those number requests."""
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        way = "waypoint" if "x-request-id" in self.headers else "direct"
        body = " ".join([os.environ["SERVICE"], os.environ["CLUSTER"], way]).encode() + b"\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer.request_queue_size = 128
ThreadingHTTPServer(("", 8080), Handler).serve_forever()
