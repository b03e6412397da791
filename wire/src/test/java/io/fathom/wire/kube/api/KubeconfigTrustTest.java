// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What kubeconfigs of other clusters may use.
class KubeconfigTrustTest {
    private static final String TEXT = """
            apiVersion: v1
            kind: Config
            clusters:
            - {name: east, cluster: {server: 'https://10.0.0.1:6443'%s}}
            users:
            - {name: east, user: {%s}}
            contexts:
            - {name: east, context: {cluster: east, user: east}}
            current-context: east
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exec|exec: {apiVersion: v1, command: /bin/true}",
                "tokenFile|tokenFile: /var/run/secrets/token",
                "clientKey|client-key: /k.pem, client-certificate-data: QQ==",
                "clientCertificate|client-certificate: /c.pem, client-key-data: QQ==",
                "gcp|auth-provider: {name: gcp}",
            })
    void givenWhatReachesOutside_thenItNeedsTheOption(String option, String user) {
        var text = TEXT.formatted("", user);

        assertThatThrownBy(() -> KubeConfig.fromText("east", text, KubeconfigTrust.only(Set.of())))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("is not allowed")
                .hasMessageContaining("PILOT_INSECURE_MULTICLUSTER_KUBECONFIG_OPTIONS=" + option);
    }

    @Test
    void givenAnAuthorityInAFile_thenItNeedsTheOption() {
        var text = TEXT.formatted(", certificate-authority: /ca.pem", "token: abc");

        assertThatThrownBy(() -> KubeConfig.fromText("east", text, KubeconfigTrust.only(Set.of())))
                .hasMessageContaining("certificateAuthority");
        assertThatCode(() -> KubeConfig.fromText("east", text, KubeconfigTrust.only(Set.of("certificateAuthority"))))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"token: abc|abc", "auth-provider: {name: oidc, config: {id-token: abc, refresh-token: x}}|abc"})
    void givenCredentialsInside_thenTheyCount(String user, String token) {
        var config = KubeConfig.fromText("east", TEXT.formatted("", user), KubeconfigTrust.only(Set.of()));

        assertThat(config.token()).isEqualTo(new KubeConfig.Token.Fixed(token));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{current-context: b, contexts: [{name: a, context: {cluster: x}}, {name: b, context: {cluster: y}}]}|y",
                "{contexts: [{name: b, context: {cluster: y}}, {name: a, context: {cluster: x}}]}|x",
                "{clusters: [{name: y, cluster: {}}, {name: x, cluster: {}}]}|x",
            })
    void whenAskedForTheCluster_thenTheCurrentElseTheFirst(String text, String cluster) {
        assertThat(KubeConfig.clusterOf("file", "# YAML\n" + text)).isEqualTo(cluster);
    }

    @ParameterizedTest
    @CsvSource({"''", "nonsense", "{}"})
    void givenNoKubeconfig_thenAProblem(String text) {
        assertThatThrownBy(() -> KubeConfig.fromText("east", text, KubeconfigTrust.only(Set.of())))
                .isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> KubeConfig.clusterOf("east", text)).isInstanceOf(ProblemException.class);
    }
}
