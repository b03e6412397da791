package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A workload gets its certificate without a line of our code on its side: openssl makes the key and the request,
/// grpcurl sends it as a node proxy does, openssl verifies what comes back.
@Tag("interop")
class CertificateIT {
    private static final String METHOD = "istio.v1.auth.IstioCertificateService/CreateCertificate";
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
        writeProtocolFile();
        var tokens = temporary.resolve("tokens");
        try (var fathomd = RunningFathomd.on(manifests, LocalNodeProxy.environment(tokens))) {
            Files.writeString(temporary.resolve("root.pem"), fathomd.text("/debug/root-cert"));
            var token = Files.readString(LocalNodeProxy.token(tokens));
            for (var key : List.of("ec -pkeyopt ec_paramgen_curve:P-256", "rsa:2048")) {
                run("openssl req -new -nodes -newkey " + key + " -keyout key.pem -out csr.pem -subj / -addext "
                        + "subjectAltName=critical,URI:" + PAYMENTS);
                var answer = ask(grpcurl, fathomd.tlsPort(), token, PAYMENTS);

                assertThat(answer).startsWith("{");
                var chain = new ObjectMapper().readTree(answer).path("certChain");
                assertThat(chain).hasSize(2);
                Files.writeString(temporary.resolve("leaf.pem"), chain.get(0).asText());
                assertThat(chain.get(1).asText()).isEqualTo(Files.readString(temporary.resolve("root.pem")));
                assertThat(run("openssl verify -x509_strict -purpose sslclient -CAfile root.pem leaf.pem"))
                        .contains("leaf.pem: OK");
                assertThat(run("openssl x509 -in leaf.pem -noout -ext subjectAltName"))
                        .contains("URI:" + PAYMENTS);
                assertThat(run("openssl x509 -in leaf.pem -noout -pubkey"))
                        .isEqualTo(run("openssl pkey -in key.pem -pubout"));
            }
            assertThat(ask(grpcurl, fathomd.tlsPort(), token, "spiffe://cluster.local/ns/shop/sa/orders"))
                    .contains("Unauthenticated")
                    .contains("the request was not authenticated");
            assertThat(ask(grpcurl, fathomd.tlsPort(), "made-up", PAYMENTS)).contains("Unauthenticated");
        }
    }

    private String ask(String grpcurl, int port, String token, String identity) throws Exception {
        var request = new ObjectMapper().createObjectNode();
        request.put("csr", Files.readString(temporary.resolve("csr.pem"))).put("validityDuration", 3600);
        request.putObject("metadata").put("ImpersonatedIdentity", identity);
        return run(List.of(
                grpcurl,
                "-cacert",
                "root.pem",
                "-authority",
                "istiod.istio-system.svc",
                "-import-path",
                ".",
                "-proto",
                "certificate.proto",
                "-H",
                "authorization: Bearer " + token,
                "-H",
                "clusterid: Kubernetes",
                "-d",
                request.toString(),
                "127.0.0.1:" + port,
                METHOD));
    }

    private void writeProtocolFile() throws IOException {
        try (var content = CertificateIT.class.getResourceAsStream("/certificate.proto")) {
            Files.write(
                    temporary.resolve("certificate.proto"),
                    Objects.requireNonNull(content).readAllBytes());
        }
    }

    private String run(String command) throws Exception {
        return run(List.of(command.split(" ", -1)));
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command)
                .directory(temporary.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
