# SPDX-License-Identifier: Apache-2.0
"""A database of numbers. `GET name` tells one, `ADD name` makes it one more and tells it."""
import socketserver
import threading

numbers = {}
lock = threading.Lock()


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            words = line.decode(errors="replace").split()
            if len(words) != 2 or words[0] not in ("GET", "ADD"):
                self.wfile.write(b"ERROR\n")
                continue
            with lock:
                if words[0] == "ADD":
                    numbers[words[1]] = numbers.get(words[1], 0) + 1
                number = numbers.get(words[1], 0)
            self.wfile.write(b"%d\n" % number)
            print(*words, number, self.client_address[0], flush=True)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


Server(("", 6380), Session).serve_forever()
