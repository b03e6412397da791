// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeConfig.Certificate;
import io.fathom.wire.kube.api.KubeConfig.PemText;
import io.fathom.wire.kube.api.KubeConfig.Token;
import io.fathom.wire.kube.api.KubeConfig.Trust;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KubeConfigTest {
    @TempDir
    private Path folder;

    static Stream<Arguments> files() {
        return Stream.of(
                argumentSet(
                        "everything inline",
                        "server: 'https://10.0.0.1:6443', certificate-authority-data: Q0E=, tls-server-name: kubernetes",
                        "token: abc, client-certificate-data: Q0VSVA==, client-key-data: S0VZ",
                        new KubeConfig(
                                URI.create("https://10.0.0.1:6443"),
                                Optional.of("kubernetes"),
                                new Trust.Authorities(new PemText.Inline("CA")),
                                new Token.Fixed("abc"),
                                Optional.of(new Certificate(new PemText.Inline("CERT"), new PemText.Inline("KEY"))))),
                argumentSet(
                        "no credentials, the public authorities",
                        "server: 'https://[::1]'",
                        "",
                        KubeConfig.plain(URI.create("https://[::1]"))),
                argumentSet(
                        "whoever answers",
                        "server: 'https://a:1', insecure-skip-tls-verify: true, certificate-authority-data: Q0E=",
                        "",
                        new KubeConfig(
                                URI.create("https://a:1"),
                                Optional.empty(),
                                new Trust.Anybody(),
                                new Token.None(),
                                Optional.empty())));
    }

    @ParameterizedTest
    @MethodSource("files")
    void whenRead(String cluster, String user, KubeConfig want) throws Exception {
        assertThat(KubeConfig.fromFile(write(cluster, user))).isEqualTo(want);
    }

    @Test
    void givenNamesOfFiles_thenTheyLieBesideTheConfiguration() throws Exception {
        var config = KubeConfig.fromFile(write(
                "server: 'https://a:1', certificate-authority: pki/ca.crt",
                "tokenFile: /abs/token, token: ignored, client-certificate: c.crt, client-key: c.key"));
        assertThat(config.trust()).isEqualTo(new Trust.Authorities(new PemText.File(folder.resolve("pki/ca.crt"))));
        assertThat(config.token()).isEqualTo(new Token.File(Path.of("/abs/token")));
        assertThat(config.certificate())
                .contains(new Certificate(
                        new PemText.File(folder.resolve("c.crt")), new PemText.File(folder.resolve("c.key"))));
    }

    static Stream<Arguments> unusable() {
        return Stream.of(
                argumentSet("no server", "", "token: a", "clusters[0].cluster.server"),
                argumentSet("no address", "server: '://x'", "token: a", "is no address"),
                argumentSet("another protocol", "server: 'ftp://x'", "token: a", "ftp://x"),
                argumentSet("no such program", "server: 'https://a'", "exec: {command: no-such}", "no-such"),
                argumentSet("a program that fails", "server: 'https://a'", "exec: {command: 'false'}", "ended with 1"),
                argumentSet(
                        "a program that is silent",
                        "server: 'https://a'",
                        "exec: {command: 'true'}",
                        "no ExecCredential"),
                argumentSet(
                        "a program that knows nobody",
                        "server: 'https://a'",
                        "exec: {command: echo, args: ['{}']}",
                        "neither a token nor a certificate"),
                argumentSet(
                        "a provider", "server: 'https://a'", "auth-provider: {name: x}", "users[0].user.auth-provider"),
                argumentSet("half a certificate", "server: 'https://a'", "client-key: x", "client-certificate"),
                argumentSet("not base64", "server: 'https://a', certificate-authority-data: '%'", "", "base64"),
                argumentSet("not YAML", "server: 'https://a'", "token: }", "kubeconfig"));
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void givenAnUnusableFile_thenTheProblemSaysWhere(String cluster, String user, String told) throws Exception {
        var file = write(cluster, user);
        assertThatThrownBy(() -> KubeConfig.fromFile(file))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().code()).isEqualTo("kubeconfig-unusable"))
                .hasMessageContaining(told);
    }

    @Test
    void givenAProgramForCredentials_thenItIsAsked() throws Exception {
        var script = folder.resolve("login");
        Files.writeString(script, """
                #!/bin/sh
                case $KUBERNETES_EXEC_INFO in *ExecCredential*) ;; *) exit 1 ;; esac
                echo "{\\"status\\": {\\"token\\": \\"$1-$WHO\\"}}"
                """);
        assertThat(script.toFile().setExecutable(true)).isTrue();
        var user = "exec: {command: ./login, args: [a], env: [{name: WHO, value: me}], apiVersion: v}";
        assertThat(KubeConfig.fromFile(write("server: 'https://a'", user)).token())
                .isEqualTo(new Token.Fixed("a-me"));
    }

    @Test
    void givenAnotherContext_thenItCounts() throws Exception {
        var file = write("server: 'https://a'", "token: x");
        assertThat(KubeConfig.fromFile(file, "here").server()).isEqualTo(URI.create("https://a"));
        assertThatThrownBy(() -> KubeConfig.fromFile(file, "there"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("has no entry \"there\"");
    }

    @Test
    void givenNoFile_thenTheProblemNamesIt() {
        var missing = folder.resolve("none");
        assertThatThrownBy(() -> KubeConfig.fromFile(missing))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(missing.toString());
    }

    @Test
    void givenAPod_thenItsEnvironmentAndItsAccountCount() {
        var environment = Map.of("KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "443");
        var config = KubeConfig.inCluster(environment, Path.of("/sa"));
        assertThat(config.server()).isEqualTo(URI.create("https://[fd00::1]:443"));
        assertThat(config.token()).isEqualTo(new Token.File(Path.of("/sa/token")));
        assertThat(config.trust()).isEqualTo(new Trust.Authorities(new PemText.File(Path.of("/sa/ca.crt"))));
        assertThatThrownBy(() -> KubeConfig.inCluster(Map.of("KUBERNETES_SERVICE_HOST", "a"), Path.of("/sa")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("KUBERNETES_SERVICE_PORT");
    }

    @Test
    void whenPrinted_thenNoSecretShows() throws Exception {
        var config = KubeConfig.fromFile(write(
                "server: 'https://a'", "token: geheim, client-certificate-data: eA==, client-key-data: Z2VoZWlt"));
        assertThat(config.toString()).doesNotContain("geheim");
    }

    private Path write(String cluster, String user) throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts:
                - {name: elsewhere, context: {cluster: other, user: other}}
                - {name: here, context: {cluster: local, user: me}}
                clusters:
                - {name: local, cluster: {%s}}
                users:
                - {name: me, user: {%s}}
                """.formatted(cluster, user));
    }
}
