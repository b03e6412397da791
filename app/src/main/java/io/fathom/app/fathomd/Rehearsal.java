// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Does once what a control plane does when it starts, so that the JVM can keep what it learnt in an AOT cache. Run by
/// `bin/lib/build` with a folder that has `manifests`: tells its HTTP address and TLS port on standard output and ends
/// with standard input.
final class Rehearsal {
    private static final List<String> PAGES = List.of(
            "/ready",
            "/metrics",
            "/version",
            "/debug",
            "/debug/ambientz?pretty",
            "/debug/statusz",
            "/debug/configz",
            "/debug/syncz",
            "/debug/adsz");

    private static final Map<String, String> TRUST = Map.of("CA_TRUSTED_NODE_ACCOUNTS", "istio-system/ztunnel");

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        var folder = Path.of(args[0]);
        var flags = new String[] {
            "--manifests",
            folder.resolve("manifests").toString(),
            "--tokens-dir",
            folder.resolve("tokens").toString(),
            "--root-cert-file",
            folder.resolve("root.pem").toString(),
            "--listen-address",
            "127.0.0.1",
            "--plaintext-port",
            "0",
            "--tls-port",
            "0",
            "--http-port",
            "0"
        };
        System.err.print(CommandLine.help());
        try (var fathomd = Fathomd.start(FathomdConfig.parse(flags, TRUST))) {
            System.err.print(fathomd.welcome());
            var address = "127.0.0.1:" + fathomd.httpPort();
            PAGES.forEach(page -> read("http://" + address + page));
            System.out.println(address + " " + fathomd.tlsPort());
            var _ = System.in.read();
        }
        System.exit(0);
    }

    private static void read(String uri) {
        try (var body = URI.create(uri).toURL().openStream()) {
            body.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
