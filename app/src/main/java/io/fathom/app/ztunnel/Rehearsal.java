// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import static io.fathom.app.RehearsalCalls.await;
import static io.fathom.app.RehearsalCalls.read;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;

/// Does once what a node proxy does when it starts, so that the JVM can keep what it learnt in an AOT cache. Run by
/// `bin/lib/build` with the folder and the TLS port of a control plane that rehearses, too. Its ports are the real
/// ones: while another node proxy runs in the same place it fails, and nothing is lost but time.
final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] args) {
        var folder = Path.of(args[0]);
        var address = "https://localhost:" + args[1];
        var root = folder.resolve("root.pem");
        var token = folder.resolve("tokens/istio-system/rehearsal/istio-token");
        await(() -> Files.exists(token));
        var settings = new HashMap<String, String>();
        settings.put("XDS_ADDRESS", address);
        settings.put("CA_ADDRESS", address);
        settings.put("XDS_ROOT_CA", root.toString());
        settings.put("CA_ROOT_CA", root.toString());
        settings.put("AUTH_TOKEN", token.toString());
        settings.put("PROXY_MODE", "dedicated");
        settings.put("PROXY_WORKLOAD_INFO", "istio-system/rehearsal/ztunnel");
        settings.put("POD_NAME", "rehearsal");
        settings.put("POD_NAMESPACE", "istio-system");
        settings.put("NODE_NAME", "here");
        settings.put("PACKET_MARK", "0");
        try (var ztunnel = Ztunnel.start(ZtunnelConfig.parse(settings, 2))) {
            await(() -> read(15021, "/healthz/ready").startsWith("HTTP/1.1 200"));
            await(() -> read(15000, "/config_dump").contains("\"Available\""));
            read(15020, "/metrics");
            ztunnel.drain();
        }
        System.exit(0);
    }
}
