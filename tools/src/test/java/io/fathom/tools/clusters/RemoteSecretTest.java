// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeconfigTrust;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteSecretTest {
    private static final String AUTHORITY = Base64.getEncoder()
            .encodeToString(
                    "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n".getBytes(StandardCharsets.US_ASCII));

    private final RemoteSecret secret =
            new RemoteSecret("east", "istio-system", "https://203.0.113.1:6443", "api.example.com");

    @Test
    void givenToken_thenControlPlanesFindAndReadIt() {
        var object = parsed(secret.text(RemoteSecret.SecretForm.REMOTE, AUTHORITY, RemoteSecret.token("abc\"d")));

        assertThat(object.at("kind").text()).isEqualTo("Secret");
        assertThat(object.at("metadata").at("name").text()).isEqualTo("istio-remote-secret-east");
        assertThat(object.at("metadata").at("namespace").text()).isEqualTo("istio-system");
        assertThat(object.at("metadata").at("labels").at("istio/multiCluster").text())
                .isEqualTo("true");
        assertThat(object.at("metadata")
                        .at("annotations")
                        .at("networking.istio.io/cluster")
                        .text())
                .isEqualTo("east");
        var kubeconfig = object.at("stringData").at("east").text();
        var config = KubeConfig.fromText("secret", kubeconfig, KubeconfigTrust.only(Set.of()));
        assertThat(config.server()).isEqualTo(URI.create("https://203.0.113.1:6443"));
        assertThat(config.serverName()).contains("api.example.com");
        assertThat(config.token()).isEqualTo(new KubeConfig.Token.Fixed("abc\"d"));
        assertThat(KubeConfig.clusterOf("secret", kubeconfig)).isEqualTo("east");
    }

    @Test
    void givenConfig_thenUpstreamsNameAndKey() {
        var object = parsed(secret.text(RemoteSecret.SecretForm.CONFIG, AUTHORITY, RemoteSecret.token("t")));

        assertThat(object.at("metadata").at("name").text()).isEqualTo("istio-kubeconfig");
        assertThat(object.at("stringData").at("config").text()).contains("server: \"https://203.0.113.1:6443\"");
    }

    @Test
    void givenPlugin_thenItIsNamedWithItsConfiguration() {
        var text = secret.text(
                RemoteSecret.SecretForm.REMOTE, AUTHORITY, RemoteSecret.plugin("oidc", Map.of("id-token", "x")));

        var kubeconfig = parsed(text).at("stringData").at("east").text();
        assertThat(KubeConfig.fromText("secret", kubeconfig, KubeconfigTrust.only(Set.of()))
                        .token())
                .isEqualTo(new KubeConfig.Token.Fixed("x"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--auth-plugin-config without-equals", "--auth-type magic", "--type other"})
    void givenSomethingElse_thenItIsRefused(String line) {
        var words = line.split(" ", -1);

        assertThatThrownBy(() -> {
                    switch (words[0]) {
                        case "--auth-type" -> RemoteSecretRequest.auth(words[1]);
                        case "--type" -> RemoteSecretRequest.form(words[1]);
                        default -> RemoteSecretRequest.pairs(List.of(words[1]));
                    }
                })
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(words[1]);
    }

    private static Field parsed(String text) {
        return switch (Documents.ofYaml("secret", text, Limits.DEFAULT).getFirst()) {
            case Document.Parsed parsed -> Field.root(parsed.root());
            case Document.Broken broken -> throw broken.cause();
        };
    }
}
