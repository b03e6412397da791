// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.testkit.TestCommand;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.core.SecretText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Certificates that OpenSSL makes.
class CredentialCheckTest {
    private static final Optional<String> FINE = Optional.empty();
    private static final List<String> RSA = List.of("rsa:2048");
    private static final List<String> P256 = List.of("ec", "-pkeyopt", "ec_paramgen_curve:P-256");

    @TempDir
    private Path folder;

    static Stream<Arguments> cases() {
        return Stream.of(
                argumentSet("a common name is a name", RSA, "/O=Acme Co/CN=default", "", FINE),
                argumentSet("an alternative name is one", RSA, "/O=Acme Co", "subjectAltName=DNS:shop.example", FINE),
                argumentSet(
                        "names that Java cannot read, as the conformance suite has them",
                        RSA,
                        "/O=Acme Co/CN=default",
                        "subjectAltName=DNS:*.org,URI:*",
                        FINE),
                argumentSet("the same without a common name", RSA, "/O=Acme Co", "subjectAltName=URI:*", FINE),
                argumentSet(
                        "no name",
                        RSA,
                        "/O=Acme Co",
                        "",
                        Optional.of("its certificate has neither a common name nor alternative names")),
                argumentSet("an elliptic curve for handshakes", P256, "/CN=a", "keyUsage=digitalSignature", FINE),
                argumentSet(
                        "an elliptic curve for an authority",
                        P256,
                        "/CN=a",
                        "keyUsage=keyCertSign",
                        Optional.of("its certificate is not for handshakes: its key usage lacks digitalSignature")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void anEnvoyTakesItOrNot(List<String> key, String subject, String extension, Optional<String> fault)
            throws IOException {
        var line = new ArrayList<>(List.of("openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey"));
        line.addAll(key);
        line.addAll(List.of("-subj", subject, "-keyout", folder + "/key", "-out", folder + "/certificate"));
        if (!extension.isEmpty()) {
            line.addAll(List.of("-addext", extension));
        }
        var _ = TestCommand.of(line, Map.of()).run().expect("openssl");
        var pair = new CredentialManifest.KeyPair(text("certificate"), text("key"));

        assertThat(CredentialCheck.fault(pair)).isEqualTo(fault);
    }

    private SecretText text(String file) throws IOException {
        return new SecretText(Files.readString(folder.resolve(file)));
    }
}
