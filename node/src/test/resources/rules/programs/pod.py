# SPDX-License-Identifier: Apache-2.0
"""What runs in a pod of the tests: `app PORT` answers who called; `proxy RESOLVER...` stands in for the node proxy;
`resolver PORT` answers datagrams with who asked. Prints "ready" once it listens."""
import socket
import struct
import sys
import threading

MARK = 1337
IP_TRANSPARENT, IPV6_TRANSPARENT, ORIGINAL_DST = 19, 75, 80


def plain(address):
    return address[0].removeprefix("::ffff:").split("%")[0]


def listen(kind, port, *options, address="::"):
    s = socket.socket(socket.AF_INET6, kind)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    for level, name, value in options:
        s.setsockopt(level, name, value)
    s.bind((address, port))
    if kind == socket.SOCK_STREAM:
        s.listen(16)
    return s


def serve(listener, answer):
    def loop():
        while True:
            connection, peer = listener.accept()
            with connection:
                try:
                    connection.sendall(answer(connection, peer).encode())
                except OSError as e:
                    connection.sendall(f"failed: {e}".encode())
    threading.Thread(target=loop).start()


def original(connection, peer):
    if peer[0].startswith("::ffff:"):
        raw = connection.getsockopt(socket.SOL_IP, ORIGINAL_DST, 16)
        return socket.AF_INET, (socket.inet_ntop(socket.AF_INET, raw[4:8]), struct.unpack("!H", raw[2:4])[0])
    raw = connection.getsockopt(socket.IPPROTO_IPV6, ORIGINAL_DST, 28)
    return socket.AF_INET6, (socket.inet_ntop(socket.AF_INET6, raw[8:24]), struct.unpack("!H", raw[2:4])[0])


def marked(family, kind):
    s = socket.socket(family, kind)
    s.settimeout(10)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, MARK)
    return s


def app(connection, peer):
    return f"app saw {plain(peer)}"


def outbound(connection, peer):
    _, target = original(connection, peer)
    return f"15001 to {target[0]} {target[1]}"


def inbound(connection, peer):
    family, target = original(connection, peer)
    with marked(family, socket.SOCK_STREAM) as upstream:
        level, name = (socket.SOL_IP, IP_TRANSPARENT) if family == socket.AF_INET else (
            socket.IPPROTO_IPV6, IPV6_TRANSPARENT)
        upstream.setsockopt(level, name, 1)
        upstream.bind((plain(peer), 0))
        upstream.connect(target)
        return "15006 then " + upstream.makefile().read()


def names(s, resolver):
    while True:
        query, peer = s.recvfrom(2048)
        with marked(socket.AF_INET6 if ":" in resolver else socket.AF_INET, socket.SOCK_DGRAM) as upstream:
            upstream.sendto(query, (resolver, 53))
            s.sendto(b"15053 then " + upstream.recv(2048), peer)


def resolver(s):
    while True:
        query, peer = s.recvfrom(2048)
        s.sendto(f"resolver saw {plain(peer)} ask ".encode() + query, peer)


def main(role, *rest):
    transparent = ((socket.SOL_IP, IP_TRANSPARENT, 1), (socket.SOL_SOCKET, socket.SO_MARK, MARK))
    if role == "app":
        serve(listen(socket.SOCK_STREAM, int(rest[0])), app)
    elif role == "proxy":
        serve(listen(socket.SOCK_STREAM, 15001, *transparent), outbound)
        serve(listen(socket.SOCK_STREAM, 15006, *transparent), inbound)
        # redirected datagrams come to loopback, and answers have to come from there
        for loopback, resolver_of_kind in zip(("::ffff:127.0.0.1", "::1"), rest):
            s = listen(socket.SOCK_DGRAM, 15053, address=loopback)
            threading.Thread(target=names, args=(s, resolver_of_kind)).start()
    elif role == "resolver":
        threading.Thread(target=resolver, args=(listen(socket.SOCK_DGRAM, int(rest[0])),)).start()
    print("ready", flush=True)


main(*sys.argv[1:])
