// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.tools.cli.Fathomctl;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Clusters of `bin/up` without anything that runs in them.
class MulticlusterCommandsTest {
    @TempDir
    private Path run;

    private int code;

    @BeforeEach
    void clusters() throws IOException {
        Files.write(run.resolve("clusters"), List.of("one", "two", "three"));
        cluster("one", "192.0.2.1");
        cluster("two", "192.0.2.2");
        cluster("three", "192.0.2.3");
    }

    @Test
    void whenLinked_thenEachHasAGatewayForEachOther_andAgainNothingIsWritten() throws IOException {
        assertThat(run("link")).contains("created").contains("They believe each other by 'O=one'");
        assertThat(code).isZero();
        assertThat(written("one"))
                .containsExactly(
                        "gateway_istio-eastwest_istio-remote-peer-three.yaml",
                        "gateway_istio-eastwest_istio-remote-peer-two.yaml");
        assertThat(Files.readString(applied("one").resolve("gateway_istio-eastwest_istio-remote-peer-two.yaml")))
                .contains(
                        "\"topology.istio.io/network\":\"net-two\"",
                        "\"topology.istio.io/cluster\":\"two\"",
                        "\"gateway.istio.io/service-account\":\"istio-eastwest\"",
                        "\"gateway.istio.io/trust-domain\":\"cluster.local\"",
                        "\"value\":\"192.0.2.2\"",
                        "\"protocol\":\"HBONE\"");

        assertThat(run("link")).contains("Nothing had to be written.").doesNotContain("created");
    }

    @Test
    void whenAnAddressChanges_thenOnlyThatIsWritten_andUnlinkRemovesAll() throws IOException {
        run("link");
        cluster("two", "192.0.2.22");

        assertThat(run("link", "--dry-run")).contains("WOULD BE", "address [192.0.2.2] to [192.0.2.22]");
        assertThat(run("link"))
                .containsPattern("one +two .* changed +address \\[192.0.2.2] to \\[192.0.2.22]")
                .containsPattern("two +one .* unchanged");
        assertThat(run("unlink", "--cluster", "two"))
                .contains("istio-remote-peer-two")
                .doesNotContain("peer-one");
        assertThat(written("one")).containsExactly("gateway_istio-eastwest_istio-remote-peer-three.yaml");
        run("unlink");
        assertThat(Stream.of("one", "two", "three").flatMap(this::written)).isEmpty();
        assertThat(run("unlink")).contains("Nothing had to be written.");
    }

    @Test
    void givenAProblem_thenNothingIsWritten_andItSaysWhatToDo() throws IOException {
        cluster("two", "192.0.2.1");

        assertThat(run("link")).contains("ERROR [gateway-address-twice] one -> two", "fix:", "Nothing was written.");
        assertThat(code).isEqualTo(1);
        assertThat(written("one")).isEmpty();
    }

    @Test
    void givenNoGateway_whenExposed_thenThereIsOne_whichFindsItsControlPlane() throws IOException {
        Files.delete(run.resolve("one/manifests/gateway.yaml"));
        assertThat(run("link")).contains("[cluster-without-gateway] one", "expose --contexts one");

        try (var access = new FolderAccess("one", run.resolve("one"))) {
            Linker.expose(access);
            Linker.expose(access);
        }

        assertThat(written("one")).containsExactly("gateway_istio-eastwest_istio-eastwest.yaml");
        assertThat(applied("one").resolve("namespace__istio-eastwest.yaml")).exists();
        assertThat(Files.readString(applied("one").resolve("gateway_istio-eastwest_istio-eastwest.yaml")))
                .contains(
                        "\"gatewayClassName\":\"istio-east-west\"",
                        "\"fathom.io/control-plane\":\"198.51.100.1:15012\"",
                        "\"topology.istio.io/network\":\"net-one\"");
        assertThat(run("link")).contains("[gateway-without-address] one");
    }

    @Test
    void givenJson_thenItIsRead() throws IOException {
        var steps = new ObjectMapper().readTree(run("link", "-o", "json")).path("steps");

        assertThat(steps).hasSize(6);
        assertThat(steps.get(0).path("action").asText()).isEqualTo("created");
        var report = new ObjectMapper().readTree(run("check", "--precheck", "--contexts", "one,two", "-o", "json"));
        assertThat(report.path("links").get(0).path("to").asText()).isEqualTo("one");
    }

    @ParameterizedTest
    @CsvSource({
        "'',                                  multicluster what?",
        "lnk,                                 did you mean link?",
        "link one two,                        --contexts",
        "link --contexts one,                 one cluster cannot be linked",
        "'link --contexts one,one',           names one twice",
        "'link --contexts one,west',          'bin/up runs one, two, three'",
        "check --prune,                       it is for multicluster link",
        "link --cluster one,                  it is for multicluster unlink",
        "check -o xml,                        give table or json"
    })
    void givenACommandThatMakesNoSense_thenItSaysWhatToGive(String line, String want) {
        assertThat(run(line.isEmpty() ? new String[0] : line.split(" ", -1))).contains(want);
        assertThat(code).isEqualTo(64);
    }

    private String run(String... words) {
        var line =
                Stream.concat(Stream.of("multicluster"), Arrays.stream(words)).toArray(String[]::new);
        var out = new StringWriter();
        var print = new PrintWriter(out, true);
        code = Fathomctl.run(line, Map.of("FATHOM_CLUSTERS", run.toString()), "1", print, print);
        return out.toString();
    }

    private Path applied(String name) {
        return run.resolve(name).resolve("applied");
    }

    private Stream<String> written(String name) {
        try (var files = Files.list(applied(name))) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith("gateway_"))
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void cluster(String name, String address) throws IOException {
        var home = run.resolve(name);
        var manifests = Files.createDirectories(home.resolve("manifests"));
        Files.createDirectories(applied(name));
        Files.writeString(home.resolve("root.pem"), Pem.encode(LinkSamples.ROOT));
        new LocalClusterFile(
                        name,
                        List.of(manifests, applied(name)),
                        applied(name),
                        1,
                        "198.51.100.1:15012",
                        home.resolve("root.pem"))
                .write(home);
        Files.writeString(
                manifests.resolve("namespace.yaml"),
                "{apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: net-"
                        + name + "}}}");
        Files.writeString(manifests.resolve("gateway.yaml"), """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: istio-eastwest, namespace: istio-eastwest}
                spec:
                  gatewayClassName: istio-eastwest
                  listeners: [{name: hbone, port: 15008, protocol: HBONE, tls: {mode: Terminate}}]
                status: {addresses: [{type: IPAddress, value: %s}]}
                """.formatted(address));
    }
}
