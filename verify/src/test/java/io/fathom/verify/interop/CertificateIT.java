// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.KubeClient;
import io.fathom.verify.peers.StockProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A workload gets its certificate without a line of our code on its side: openssl makes the key and the request,
/// grpcurl sends it as a node proxy does, openssl verifies what comes back.
@Tag("interop")
class CertificateIT {
    private static final String PAYMENTS = "spiffe://cluster.local/ns/shop/sa/payments";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @Test
    @Timeout(60)
    void givenANodeProxy_whenItAsksWithGrpcurl_thenOpensslVerifiesTheCertificate() throws Exception {
        var grpcurl = StockProgram.GRPCURL.require().toString();
        var manifests = Files.createDirectory(temporary.resolve("mesh"));
        LocalNodeProxy.writePod(manifests);
        Files.writeString(
                manifests.resolve("payments.yaml"), LocalNodeProxy.pod("payments-1", "shop", "payments", "10.88.0.2"));
        var caller = new CertificateCaller(temporary);
        var tokens = temporary.resolve("tokens");
        try (var fathomd = RunningFathomd.on(manifests, LocalNodeProxy.environment(tokens))) {
            Files.writeString(temporary.resolve("root.pem"), fathomd.text("/debug/root-cert"));
            var token = Files.readString(LocalNodeProxy.token(tokens));
            for (var key : List.of("ec -pkeyopt ec_paramgen_curve:P-256", "rsa:2048")) {
                caller.run("openssl req -new -nodes -newkey " + key + " -keyout key.pem -out csr.pem -subj / -addext "
                        + "subjectAltName=critical,URI:" + PAYMENTS);
                var answer = caller.ask(grpcurl, fathomd.tlsPort(), token, PAYMENTS);

                assertThat(answer).startsWith("{");
                var chain = new ObjectMapper().readTree(answer).path("certChain");
                assertThat(chain).hasSize(2);
                Files.writeString(temporary.resolve("leaf.pem"), chain.get(0).asText());
                assertThat(chain.get(1).asText())
                        .isEqualTo("# trust-domain: cluster.local\n" + Files.readString(temporary.resolve("root.pem")));
                assertThat(caller.run("openssl verify -x509_strict -purpose sslclient -CAfile root.pem leaf.pem"))
                        .contains("leaf.pem: OK");
                assertThat(caller.run("openssl x509 -in leaf.pem -noout -ext subjectAltName"))
                        .contains("URI:" + PAYMENTS);
                assertThat(caller.run("openssl x509 -in leaf.pem -noout -pubkey"))
                        .isEqualTo(caller.run("openssl pkey -in key.pem -pubout"));
            }
            assertThat(caller.ask(grpcurl, fathomd.tlsPort(), token, "spiffe://cluster.local/ns/shop/sa/orders"))
                    .contains("Unauthenticated")
                    .contains("the request was not authenticated");
            assertThat(caller.ask(grpcurl, fathomd.tlsPort(), "made-up", PAYMENTS))
                    .contains("Unauthenticated");
        }
    }

    /// Upstream and we sign the same request for the same workload on the same cluster: what differs is what must.
    @Test
    @Tag("slow")
    @Tag("alone")
    @Timeout(240)
    void givenTheSameRequest_whenUpstreamAndWeSign_thenTheCertificatesAreAlike() throws Exception {
        var grpcurl = StockProgram.GRPCURL.require().toString();
        var manifests = Files.createDirectory(temporary.resolve("mesh"));
        LocalNodeProxy.writePod(manifests);
        Files.writeString(
                manifests.resolve("payments.yaml"), LocalNodeProxy.pod("payments-1", "shop", "payments", "10.88.0.2"));
        var caller = new CertificateCaller(temporary);
        var tokens = temporary.resolve("tokens");
        caller.run(
                "openssl req -new -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout key.pem -out csr.pem -subj /"
                        + " -addext subjectAltName=critical,URI:" + PAYMENTS);
        try (var cluster = KubeApiServer.start(InstantSource.system())) {
            apply(cluster.client(), "{apiVersion: v1, kind: Namespace, metadata: {name: istio-system}}");
            apply(cluster.client(), "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
            apply(cluster.client(), Files.readString(manifests.resolve("ztunnel-verify.yaml")));
            apply(cluster.client(), Files.readString(manifests.resolve("payments.yaml")));
            var theirToken = cluster.client().podToken("istio-system", "ztunnel", LocalNodeProxy.POD, "istio-ca");
            try (var istiod = Istiod.startWithCertificates(cluster);
                    var fathomd = RunningFathomd.on(manifests, LocalNodeProxy.environment(tokens))) {
                Files.writeString(temporary.resolve("root.pem"), fathomd.text("/debug/root-cert"));
                var ourToken = Files.readString(LocalNodeProxy.token(tokens));

                var ours = description(caller, caller.ask(grpcurl, fathomd.tlsPort(), ourToken, PAYMENTS));
                var theirs =
                        description(caller, caller.ask(grpcurl + " -insecure", istiod.tlsPort(), theirToken, PAYMENTS));
                assertThat(ours).isEqualTo(theirs);

                CertificateLoad.compare(istiod, theirToken, fathomd.tlsPort(), ourToken, PAYMENTS);

                // and they refuse alike
                var foreign = "spiffe://cluster.local/ns/shop/sa/orders";
                assertThat(caller.ask(grpcurl + " -insecure", istiod.tlsPort(), theirToken, foreign))
                        .contains("Unauthenticated");
                assertThat(caller.ask(grpcurl, fathomd.tlsPort(), ourToken, foreign))
                        .contains("Unauthenticated");
            }
        }
    }

    /// All of a certificate but serial, times, keys and what depends on the root's key; and how many elements came.
    private String description(CertificateCaller caller, String answer) throws Exception {
        assertThat(answer).startsWith("{");
        var chain = new ObjectMapper().readTree(answer).path("certChain");
        Files.writeString(temporary.resolve("leaf.pem"), chain.get(0).asText());
        var text = caller.run("openssl x509 -in leaf.pem -noout -subject -issuer -ext "
                + "keyUsage,extendedKeyUsage,basicConstraints,subjectAltName");
        var lifetime = caller.run("openssl x509 -in leaf.pem -noout -checkend 3500")
                + caller.run("openssl x509 -in leaf.pem -noout -checkend 3700");
        return chain.size() + " elements\n" + text + lifetime;
    }

    private static void apply(KubeClient client, String yaml) {
        var content = ManifestDocument.parse(yaml).orElseThrow().content();
        client.apply(new ObjectMapper().valueToTree(content));
    }
}
