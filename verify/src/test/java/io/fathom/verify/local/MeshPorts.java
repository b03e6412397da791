// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Where the programs of a local mesh serve HTTP and gRPC.
final class MeshPorts {
    private static final Pattern PORT = Pattern.compile("--(?:plaintext|tls)-port=(\\d+)");

    /// A port of a program, and where that program says that it is ready.
    ///
    /// @param where a program or pod of the mesh
    record Port(String where, int port, int readyPort, String path) {
        private static Port own(String where, int port, String path) {
            return new Port(where, port, port, path);
        }
    }

    private MeshPorts() {}

    /// All of them. Some have no page for readiness, so another port of the program is asked for that.
    static List<Port> of(LocalMesh mesh) {
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
}
