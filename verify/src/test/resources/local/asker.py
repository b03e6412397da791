# SPDX-License-Identifier: Apache-2.0
"""Asks services over and over, each over a new connection every time: asker.py SERVICE ...
Prints a line for each answer: nanoseconds of the monotonic clock at its end, service, and what it said, or "failed" and why."""
import http.client
import sys
import threading
import time


def ask(service):
    connection = http.client.HTTPConnection(service + ".lab", timeout=10)
    try:
        connection.request("GET", "/")
        answer = connection.getresponse()
        body = answer.read().decode().strip()
        return body if answer.status == 200 else "failed %d" % answer.status
    except (OSError, http.client.HTTPException) as problem:
        return "failed " + type(problem).__name__
    finally:
        connection.close()


def go_on(service):
    while True:
        said = ask(service)
        sys.stdout.write("%d %s %s\n" % (time.monotonic_ns(), service, said))
        sys.stdout.flush()
        time.sleep(0.02)


for name in sys.argv[1:]:
    threading.Thread(target=go_on, args=(name,)).start()
