# SPDX-License-Identifier: Apache-2.0
"""Counts what was bought. Remembers nothing itself: the store does."""
import socket

from web import POD, serve


def store(line):
    """One line to the store and its answer."""
    with socket.create_connection(("store", 6380), timeout=5) as connection:
        connection.sendall(line.encode() + b"\n")
        answer = connection.makefile().readline().strip()
    if not answer:
        raise OSError("the store hung up")
    return answer


serve({
    "/items": lambda: {"pod": POD, "items": int(store("GET items"))},
    "/add": lambda: {"pod": POD, "items": int(store("ADD items"))},
})
