// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import static io.fathom.node.cni.install.NetworkListsTest.ENTRY;
import static io.fathom.node.cni.install.NetworkListsTest.LIST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.node.cni.install.InstallConfig.FileModes;
import io.fathom.node.cni.install.InstallConfig.Joining;
import io.fathom.node.cni.install.InstallConfig.ServerTrust;
import io.fathom.node.cni.install.InstallObserver.InstallResult;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeConfig.PemText;
import io.fathom.wire.kube.api.KubeConfig.Token;
import io.fathom.wire.kube.api.KubeConfig.Trust;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Cases 48 to 52 of the CNI fact sheet, with real files and a real watch.
class InstallationTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String ONE = "istio-cni-runtime-1";

    @TempDir
    private Path root;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final InstallObserver observer = new InstallObserver() {
        @Override
        public void installed(InstallResult result) {
            events.add(result.name());
        }

        @Override
        public void ready() {
            events.add("ready");
        }

        @Override
        public void notReady() {
            events.add("not ready");
        }
    };

    private Path source;
    private Path bin;
    private Path net;
    private Path account;
    private Path kubeconfig;

    @BeforeEach
    void prepare() throws IOException {
        source = Files.createDirectories(root.resolve("image"));
        bin = root.resolve("host/opt/cni/bin");
        net = Files.createDirectories(root.resolve("host/etc/cni/net.d"));
        account = Files.createDirectories(root.resolve("account"));
        kubeconfig = root.resolve("run/istio-cni-kubeconfig");
        Files.writeString(account.resolve("token"), "one\n");
        Files.writeString(account.resolve("ca.crt"), "CA");
        plugin(ONE, "launcher of 1");
    }

    @Test
    void case48_givenANetwork_thenThePluginJoinsIt() throws Exception {
        network("10-calico.conflist", LIST, "rw-r-----");
        try (var installation = start(new Joining.Chained())) {
            await().atMost(LONG).until(installation::ready);
            assertThat(text(net.resolve("10-calico.conflist"))).contains("\"type\": \"istio-cni\"");
            assertThat(mode(net.resolve("10-calico.conflist"))).isEqualTo("rw-r-----");
            assertThat(text(bin.resolve("istio-cni"))).isEqualTo("launcher of 1");
            assertThat(mode(bin.resolve("istio-cni"))).isEqualTo("rwxr-xr-x");
            assertThat(text(bin.resolve(ONE + "/lib/modules"))).isEqualTo("modules of " + ONE);
            assertThat(Files.getLastModifiedTime(bin.resolve(ONE + "/lib/modules")))
                    .isEqualTo(Files.getLastModifiedTime(source.resolve(ONE + "/lib/modules")));
            assertThat(mode(kubeconfig)).isEqualTo("rw-------");
            assertThat(KubeConfig.fromFile(kubeconfig))
                    .isEqualTo(new KubeConfig(
                            URI.create("https://[fd00::1]:443"),
                            Optional.empty(),
                            new Trust.Authorities(new PemText.Inline("CA")),
                            new Token.Fixed("one"),
                            Optional.empty()));
            assertThat(Files.readString(kubeconfig)).contains("\"istio-cni-context\"", "\"local\"", "\"istio-cni\"");
        }
        assertThat(events).containsExactly("not ready", "SUCCESS", "ready", "not ready");
        assertThat(temporaryFiles()).isEmpty();
    }

    @Test
    void case48_givenASinglePlugin_thenItBecomesAList() throws Exception {
        network("10-bridge.conf", "{\"cniVersion\":\"0.3.1\",\"type\":\"bridge\",\"name\":\"x\"}", "rw-r--r--");
        try (var installation = start(new Joining.Chained())) {
            await().atMost(LONG).until(installation::ready);
            assertThat(net.resolve("10-bridge.conf")).doesNotExist();
            assertThat(text(net.resolve("10-bridge.conflist")))
                    .contains("\"type\": \"bridge\"", "\"type\": \"istio-cni\"");
            assertThat(mode(net.resolve("10-bridge.conflist"))).isEqualTo("rw-r--r--");
        }
    }

    @Test
    void case48_givenNoUsableNetworkYet_thenItWaitsForOne() throws Exception {
        network("05-broken.conflist", "{", "rw-r--r--");
        try (var installation = start(new Joining.Chained())) {
            await().atMost(LONG).until(() -> events.contains(InstallResult.CREATE_CNI_CONFIG_FAILURE.name()));
            assertThat(installation.ready()).isFalse();
            assertThat(installation.trouble().orElseThrow().code()).isEqualTo("cni-config-missing");
            network("10-calico.conflist", LIST, "rw-r--r--");
            await().atMost(LONG).until(installation::ready);
            assertThat(text(net.resolve("05-broken.conflist"))).isEqualTo("{");
        }
    }

    @Test
    void case49_givenAnEntryThatSomebodyTookOut_thenItComesBackAndReadinessDips() throws Exception {
        network("10-calico.conflist", LIST, "rw-r--r--");
        try (var installation = start(new Joining.Chained())) {
            await().atMost(LONG).until(installation::ready);
            events.clear();
            network("10-calico.conflist", LIST, "rw-r--r--");
            await().atMost(LONG).until(() -> events.contains("ready"));
            assertThat(events).containsExactly("not ready", "SUCCESS", "ready");
            assertThat(text(net.resolve("10-calico.conflist"))).contains("istio-cni");
            Files.delete(bin.resolve("istio-cni"));
            await().atMost(LONG).until(() -> Files.exists(bin.resolve("istio-cni")) && installation.ready());
        }
    }

    @Test
    void case50_whenTheTokenChanges_thenTheKubeconfigIsRewrittenAndNothingElse() throws Exception {
        network("10-calico.conflist", LIST, "rw-r--r--");
        try (var installation = start(new Joining.Chained())) {
            await().atMost(LONG).until(installation::ready);
            var before = key(net.resolve("10-calico.conflist"));
            Files.writeString(account.resolve("token.new"), "two\n");
            Files.move(account.resolve("token.new"), account.resolve("token"), StandardCopyOption.REPLACE_EXISTING);
            await().atMost(LONG)
                    .until(() -> KubeConfig.fromFile(kubeconfig).token().equals(new Token.Fixed("two")));
            await().atMost(LONG).until(installation::ready);
            assertThat(key(net.resolve("10-calico.conflist"))).isEqualTo(before);
        }
    }

    @Test
    void case51_givenAFileOfOurOwn_thenItComesFirstAndFollowsThePrimary() throws Exception {
        network("10-calico.conflist", LIST, "rw-r--r--");
        var owned = net.resolve("02-istio-cni.conflist");
        try (var installation = start(new Joining.Owned("02-istio-cni.conflist"))) {
            await().atMost(LONG).until(installation::ready);
            assertThat(text(net.resolve("10-calico.conflist"))).isEqualTo(LIST);
            assertThat(types(owned)).containsExactly("calico", "portmap", "istio-cni");
            assertThat(mode(owned)).isEqualTo("rw-r-----");
            network("10-calico.conflist", LIST.replace("\"portmap\"", "\"bandwidth\""), "rw-r--r--");
            await().atMost(LONG).until(() -> types(owned).contains("bandwidth"));
            await().atMost(LONG).until(installation::ready);
            installation.remove();
        }
        assertThat(owned).doesNotExist();
        assertThat(types(net.resolve("10-calico.conflist"))).containsExactly("calico", "bandwidth");
    }

    @Test
    void case51_givenANameThatComesLater_thenThatIsTheProblem() throws Exception {
        network("00-first.conflist", LIST, "rw-r--r--");
        try (var installation = start(new Joining.Owned("02-istio-cni.conflist"))) {
            await().atMost(LONG)
                    .until(() -> installation
                            .trouble()
                            .map(problem -> problem.code())
                            .orElse("")
                            .equals("cni-config-not-first"));
            assertThat(installation.ready()).isFalse();
            assertThat(net.resolve("02-istio-cni.conflist")).doesNotExist();
        }
    }

    @Test
    void case52_whenRemoved_thenEverythingIsAsBefore() throws Exception {
        network("10-calico.conflist", LIST, "rw-rw----");
        var installation = start(new Joining.Chained());
        await().atMost(LONG).until(installation::ready);
        installation.remove();
        assertThat(text(net.resolve("10-calico.conflist"))).isEqualTo(Json.pretty(Json.parse("t", LIST)));
        assertThat(mode(net.resolve("10-calico.conflist"))).isEqualTo("rw-rw----");
        assertThat(bin).isEmptyDirectory();
        assertThat(kubeconfig).doesNotExist();
        assertThat(installation.ready()).isFalse();
        assertThat(temporaryFiles()).isEmpty();
    }

    @Test
    void whenClosed_thenEverythingStays() throws Exception {
        network("10-calico.conflist", LIST, "rw-r--r--");
        var installation = start(new Joining.Chained());
        await().atMost(LONG).until(installation::ready);
        installation.close();
        assertThat(types(net.resolve("10-calico.conflist"))).contains("istio-cni");
        assertThat(bin.resolve("istio-cni")).exists();
        assertThat(kubeconfig).exists();
    }

    @Test
    void givenAFileByItself_thenItIsWrittenAndRemoved() throws Exception {
        try (var installation = start(new Joining.Alone(InstallConfig.ALONE_FILE))) {
            await().atMost(LONG).until(installation::ready);
            assertThat(text(net.resolve("YYY-istio-cni.conf"))).contains("\"type\": \"istio-cni\"");
            installation.remove();
        }
        assertThat(net).isEmptyDirectory();
    }

    @Test
    void givenAnOlderVersionAndRubbish_thenTheNewOneTakesItsPlace() throws Exception {
        network("10-calico.conflist", LIST, "rw-r--r--");
        Files.createDirectories(bin.resolve("istio-cni-runtime-0/lib"));
        Files.writeString(bin.resolve("istio-cni-runtime-0/lib/modules"), "old");
        Files.writeString(bin.resolve("istio-cni"), "launcher of 0");
        Files.writeString(bin.resolve("istio-cni.tmp.123"), "half of a la");
        Files.createDirectories(bin.resolve(ONE + ".tmp.7"));
        Files.writeString(bin.resolve("calico"), "not ours");
        try (var installation = start(new Joining.Chained())) {
            await().atMost(LONG).until(installation::ready);
            assertThat(text(bin.resolve("istio-cni"))).isEqualTo("launcher of 1");
            assertThat(bin.resolve("istio-cni-runtime-0")).exists(); // somebody may be running it
            assertThat(temporaryFiles()).isEmpty();
        }
        try (var again = start(new Joining.Chained())) {
            await().atMost(LONG).until(again::ready);
            assertThat(bin.resolve("istio-cni-runtime-0")).doesNotExist();
            assertThat(bin.resolve(ONE)).exists();
            again.remove();
        }
        assertThat(text(bin.resolve("calico"))).isEqualTo("not ours");
    }

    @Test
    void givenNoTokenOrNoFiles_thenTheResultSaysWhich() throws Exception {
        network("10-calico.conflist", LIST, "rw-r--r--");
        Files.delete(account.resolve("token"));
        try (var installation = start(new Joining.Chained())) {
            await().atMost(LONG).until(() -> events.contains(InstallResult.CREATE_KUBECONFIG_FAILURE.name()));
            assertThat(types(net.resolve("10-calico.conflist"))).doesNotContain("istio-cni");
            Files.writeString(account.resolve("token"), "late");
            await().atMost(LONG).until(installation::ready);
        }
        source = root.resolve("nowhere");
        try (var _ = start(new Joining.Chained())) {
            await().atMost(LONG).until(() -> events.contains(InstallResult.COPY_BINARIES_FAILURE.name()));
        }
    }

    private Installation start(Joining joining) {
        return Installation.start(
                new InstallConfig(
                        source,
                        bin,
                        net,
                        kubeconfig,
                        account,
                        URI.create("https://[fd00::1]:443"),
                        Optional.empty(),
                        ServerTrust.AUTHORITY,
                        joining,
                        Optional.empty(),
                        new FileModes("rw-------", "rw-r-----"),
                        ENTRY),
                observer);
    }

    private void plugin(String runtime, String launcher) throws IOException {
        Files.createDirectories(source.resolve(runtime + "/lib"));
        var modules = Files.writeString(source.resolve(runtime + "/lib/modules"), "modules of " + runtime);
        Files.setLastModifiedTime(modules, FileTime.from(Instant.parse("2026-01-02T03:04:05Z")));
        var file = Files.writeString(source.resolve("istio-cni"), launcher);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /// As network plugins do it: whole or not at all.
    private void network(String name, String text, String mode) throws IOException {
        var file = Files.writeString(root.resolve("network"), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        Files.move(file, net.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    private List<Path> temporaryFiles() throws IOException {
        try (var files = Files.walk(root)) {
            return files.filter(file -> file.toString().contains(".tmp.")).toList();
        }
    }

    private static List<String> types(Path file) throws IOException {
        return NetworkFolder.read(file)
                .map(found -> NetworkLists.types(found.config()))
                .orElse(List.of());
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file);
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static Object key(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino") + " " + Files.getLastModifiedTime(file);
    }
}
