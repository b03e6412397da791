// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(KeyAlgorithm.class)
    void whenKeysAreWrittenAndRead_thenTheyAreTheSame(KeyAlgorithm algorithm) {
        var key = algorithm.generate().getPrivate();
        assertThat(PemKeys.privateKey(Pem.encode(key)).getEncoded()).isEqualTo(key.getEncoded());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ecparam -name prime256v1 -genkey", "genrsa -traditional 2048", "genrsa 2048"})
    void givenAKeyFileOfOpenssl_thenItIsRead(String command) throws Exception {
        assertThat(new OpenSsl(folder)
                        .run((command.replace(" 2048", "") + " -out key.pem"
                                        + (command.endsWith("2048") ? " 2048" : ""))
                                .split(" ")))
                .startsWith("ok");
        assertThat(PemKeys.privateKey(Files.readString(folder.resolve("key.pem")))
                        .getAlgorithm())
                .isIn("EC", "ECDSA", "RSA");
    }

    @Test
    void whenCertificatesAreWrittenAndRead_thenOrderIsKept() {
        var first = TestPki.root(KeyAlgorithm.P256).signer();
        var second = TestPki.root(KeyAlgorithm.P256).signer();
        var text = "a comment\n" + Pem.encode(first) + "\n\n" + Pem.encode(second);
        assertThat(Pem.certificates(text)).containsExactly(first, second);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "garbage",
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"
            })
    void givenGarbage_thenTheProblemDoesNotQuoteIt(String text) {
        assertThatThrownBy(() -> Pem.certificates(text)).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> PemKeys.privateKey(text))
                .isInstanceOf(ProblemException.class)
                .hasMessageNotContaining("c2VjcmV0")
                .hasNoCause();
    }
}
