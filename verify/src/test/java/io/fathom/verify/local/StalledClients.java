// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Clients that open a port of a program and then stall, and somebody who asks it for its readiness meanwhile.
final class StalledClients {
    private static final Pattern PORT = Pattern.compile("--(?:plaintext|tls)-port=(\\d+)");

    /// 2,000 clients with heads, bodies and handshakes that never end; a question after each 50. Prints the slowest
    /// answer and, sorted, the median in milliseconds.
    private static final String SCRIPT = """
            import http.client, resource, socket, sys, time
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
            port, ready_port, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
            broken = [b"", b"G", b"GET " + path.encode() + b" HTTP/1.1\\r\\nX: ",
                      b"POST / HTTP/1.1\\r\\nContent-Length: 9\\r\\n\\r\\n", b"\\x16\\x03\\x01",
                      b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n"]
            held, took = [], []
            for i in range(2000):
                client = socket.create_connection(("127.0.0.1", port), timeout=10)
                held.append(client)
                client.sendall(broken[i % len(broken)])
                if i % 50 == 49:
                    begun = time.monotonic()
                    ready = http.client.HTTPConnection("127.0.0.1", ready_port, timeout=20)
                    ready.request("GET", path)
                    answer = ready.getresponse()
                    answer.read()
                    if answer.status != 200: sys.exit("%s: %d" % (path, answer.status))
                    ready.close()
                    took.append(int((time.monotonic() - begun) * 1000))
            took.sort()
            print(took[-1], took[len(took) // 2])
            """;

    /// A port of a program, and where that program says that it is ready.
    ///
    /// @param where a program or pod of the mesh
    record Port(String where, int port, int readyPort, String path) {
        private static Port own(String where, int port, String path) {
            return new Port(where, port, port, path);
        }
    }

    /// In milliseconds.
    record Answers(int slowest, int median) {}

    private StalledClients() {}

    /// All ports for HTTP and gRPC that the programs of a local mesh have. Some have no page for readiness, so
    /// another port of the program is asked for that.
    static List<Port> ports(LocalMesh mesh) {
        var http = mesh.status().path("http").asInt();
        var pid = mesh.program("fathomd").path("pid").asText();
        var line = mesh.runIn("middle", "sh", "-c", "tr '\\0' ' ' </proc/" + pid + "/cmdline")
                .out();
        var grpc = PORT.matcher(line)
                .results()
                .map(match -> new Port("fathomd", Integer.parseInt(match.group(1)), http, "/ready"))
                .toList();
        assertThat(grpc).as(line).hasSize(2);
        return Stream.concat(
                        Stream.of(
                                Port.own("fathomd", http, "/ready"),
                                Port.own("ztunnel-node-1", 15021, "/healthz/ready"),
                                new Port("ztunnel-node-1", 15020, 15021, "/healthz/ready"),
                                new Port("ztunnel-node-1", 15000, 15021, "/healthz/ready"),
                                Port.own("fathom-cni-node-1", 8000, "/readyz"),
                                new Port("fathom-cni-node-1", 15014, 8000, "/readyz"),
                                Port.own("waypoint", 15020, "/healthz/ready")),
                        grpc.stream())
                .toList();
    }

    static Answers besides(LocalMesh mesh, Port port) {
        var result =
                mesh.exec(port.where(), "python3", "-c", SCRIPT, "" + port.port(), "" + port.readyPort(), port.path());
        assertThat(result.code()).as("%s: %s", port, result.out()).isZero();
        var words = result.out().strip().split(" ", -1);
        return new Answers(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
    }
}
