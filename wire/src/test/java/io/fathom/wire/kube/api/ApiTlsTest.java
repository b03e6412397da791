// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeConfig.Certificate;
import io.fathom.wire.kube.api.KubeConfig.PemText;
import io.fathom.wire.kube.api.KubeConfig.Token;
import io.fathom.wire.kube.api.KubeConfig.Trust;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Certificates come from `openssl`, as those of clusters do.
class ApiTlsTest {
    private static final Optional<Certificate> NOBODY = Optional.empty();

    @TempDir
    private static Path folder;

    private static HttpsServer server;

    @BeforeAll
    static void serve() throws Exception {
        authority("ca");
        authority("other");
        signed("server", "-addext", "subjectAltName=IP:127.0.0.1");
        signed("client", "-addext", "subjectAltName=DNS:client");
        run("openssl", "ec", "-in", "client.key", "-out", "client-sec1.key");
        run(
                "openssl",
                "pkcs12",
                "-export",
                "-in",
                "server.crt",
                "-inkey",
                "server.key",
                "-out",
                "server.p12",
                "-passout",
                "pass:");
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(serverTls()) {
            @Override
            public void configure(HttpsParameters parameters) {
                var wanted = getSSLContext().getDefaultSSLParameters();
                wanted.setWantClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        server.createContext("/", exchange -> {
            try (exchange) {
                var answer = "{\"kind\":\"Pod\"}".getBytes(StandardCharsets.UTF_8);
                var who = ((HttpsExchange) exchange).getSSLSession();
                var known = true;
                try {
                    who.getPeerPrincipal();
                } catch (IOException e) {
                    known = false;
                }
                exchange.sendResponseHeaders(known ? 200 : 401, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        server.start();
    }

    @AfterAll
    static void stop() {
        server.stop(0);
    }

    @Test
    void givenTheRightAuthorityAndOurCertificate_thenTheServerKnowsUs() {
        for (var key : List.of("client.key", "client-sec1.key")) {
            var own = Optional.of(new Certificate(file("client.crt"), file(key)));
            assertThat(outcome(new Trust.Authorities(file("ca.crt")), own, "127.0.0.1", Optional.empty()))
                    .isEqualTo("ok");
        }
    }

    @Test
    void givenNoCertificateOfOurs_thenTheServerDoesNotKnowUs() {
        assertThat(outcome(new Trust.Authorities(file("ca.crt")), NOBODY, "127.0.0.1", Optional.empty()))
                .isEqualTo("kube-unauthorized");
    }

    @Test
    void givenAnotherAuthorityOrName_thenTheServerIsNotTrusted() {
        assertThat(outcome(new Trust.Authorities(file("other.crt")), NOBODY, "127.0.0.1", Optional.empty()))
                .isEqualTo("kube-not-trusted");
        assertThat(outcome(new Trust.Public(), NOBODY, "127.0.0.1", Optional.empty()))
                .isEqualTo("kube-not-trusted");
        assertThat(outcome(new Trust.Authorities(file("ca.crt")), NOBODY, "localhost", Optional.empty()))
                .isEqualTo("kube-not-trusted");
        assertThat(outcome(new Trust.Authorities(file("ca.crt")), NOBODY, "127.0.0.1", Optional.of("kubernetes")))
                .isEqualTo("kube-not-trusted");
    }

    @Test
    void givenAnotherName_whenItIsTheOneToExpect_thenTheServerIsTrusted() {
        assertThat(outcome(new Trust.Authorities(file("ca.crt")), NOBODY, "localhost", Optional.of("127.0.0.1")))
                .isEqualTo("kube-unauthorized");
        assertThat(outcome(new Trust.Anybody(), NOBODY, "localhost", Optional.empty()))
                .isEqualTo("kube-unauthorized");
    }

    @Test
    void givenFilesThatAreNotThereOrNoCertificates_thenThatIsTheProblem() throws Exception {
        Files.writeString(folder.resolve("empty.crt"), "");
        for (var name : List.of("none.crt", "empty.crt")) {
            assertThat(outcome(new Trust.Authorities(file(name)), NOBODY, "127.0.0.1", Optional.empty()))
                    .isEqualTo("kube-certificates-unusable");
        }
    }

    @Test
    void whenTheAuthorityChanges_thenTheNextConnectionKnows() throws Exception {
        var changing = folder.resolve("changing.crt");
        Files.copy(folder.resolve("other.crt"), changing);
        var config = config(new Trust.Authorities(file("changing.crt")), NOBODY, "127.0.0.1", Optional.empty());
        try (var client = new KubeClient(config, KubeSettings.DEFAULT)) {
            assertThat(outcome(client)).isEqualTo("kube-not-trusted");
            Files.write(changing, Files.readAllBytes(folder.resolve("ca.crt")));
            assertThat(outcome(client)).isEqualTo("kube-unauthorized");
        }
    }

    private static String outcome(Trust trust, Optional<Certificate> own, String host, Optional<String> name) {
        try (var client = new KubeClient(config(trust, own, host, name), KubeSettings.DEFAULT)) {
            return outcome(client);
        }
    }

    private static String outcome(KubeClient client) {
        var problem = catchThrowableOfType(ProblemException.class, () -> client.get(KubeResource.PODS, "shop", "web"));
        return problem == null ? "ok" : problem.problem().code();
    }

    private static KubeConfig config(Trust trust, Optional<Certificate> own, String host, Optional<String> name) {
        var address = URI.create("https://" + host + ":" + server.getAddress().getPort());
        return new KubeConfig(address, name, trust, new Token.None(), own);
    }

    private static PemText file(String name) {
        return new PemText.File(folder.resolve(name));
    }

    private static SSLContext serverTls() throws Exception {
        var keys = KeyStore.getInstance(folder.resolve("server.p12").toFile(), new char[0]);
        var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, new char[0]);
        var authorities = KeyStore.getInstance("PKCS12");
        authorities.load(null, null);
        try (var in = Files.newInputStream(folder.resolve("ca.crt"))) {
            authorities.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        var clients = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        clients.init(authorities);
        var tls = SSLContext.getInstance("TLS");
        tls.init(own.getKeyManagers(), clients.getTrustManagers(), null);
        return tls;
    }

    private static void authority(String name) throws Exception {
        var command = new ArrayList<>(request(name));
        command.addAll(
                List.of("-x509", "-days", "2", "-out", name + ".crt", "-addext", "keyUsage=critical,keyCertSign"));
        run(command.toArray(String[]::new));
    }

    private static void signed(String name, String... more) throws Exception {
        var command = new ArrayList<>(request(name));
        command.addAll(List.of("-x509", "-days", "2", "-CA", "ca.crt", "-CAkey", "ca.key", "-out", name + ".crt"));
        command.addAll(List.of("-addext", "basicConstraints=critical,CA:FALSE"));
        command.addAll(List.of(more));
        run(command.toArray(String[]::new));
    }

    private static List<String> request(String name) {
        return List.of(
                "openssl",
                "req",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-subj",
                "/CN=" + name,
                "-keyout",
                name + ".key");
    }

    private static void run(String... command) throws Exception {
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as(String.join(" ", command) + "\n" + output)
                .isZero();
    }
}
