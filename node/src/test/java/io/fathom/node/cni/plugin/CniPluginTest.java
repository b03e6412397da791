// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.testkit.PostSocket;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Cases 25 to 31 of the CNI fact sheet, with an agent that leaves the decision to the plugin as upstream's does, and
/// with ours; the API server is a table.
class CniPluginTest {
    private static final String PREVIOUS = """
            {"cniVersion":"%s","interfaces":[{"name":"eth0","sandbox":"/var/run/netns/x"}],"routes":[{"dst":"0.0.0.0/0"}],
             "ips":[{"interface":0,"address":"10.0.0.2/24","gateway":"10.0.0.1"},{"address":"fd00::2/64"}],
             "dns":{"nameservers":["10.96.0.10"]},"extra":{"n":1.50}}""";

    @TempDir
    private Path run;

    private final Map<String, String> environment = new HashMap<>(Map.of(
            "CNI_COMMAND", "ADD",
            "CNI_CONTAINERID", "abc",
            "CNI_NETNS", "/var/run/netns/x",
            "CNI_IFNAME", "eth0",
            "CNI_PATH", "/opt/cni/bin",
            "CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web;K8S_POD_UID=u"));
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<Duration> pauses = new ArrayList<>();
    private final List<PodArgs> lookups = new ArrayList<>();
    private final Pods pods = new Pods();

    @Test
    void case25_givenAPodToCapture_thenTheAgentGetsItExactlyAndTheResultIsPassedOn() throws Exception {
        pods.pod("{}", "{}", false).namespace("istio.io/dataplane-mode", "ambient");
        try (var agent = upstreamAgent(200, "")) {
            assertThat(add(conf("1.0.0", PREVIOUS.formatted("1.0.0")))).isZero();
            assertThat(agent.posts())
                    .containsExactly("POST /cmdadd HTTP/1.1 {\"Netns\":\"/var/run/netns/x\",\"PodName\":\"web\","
                            + "\"PodNamespace\":\"shop\",\"IPs\":[{\"Interface\":0,\"Address\":{\"IP\":\"10.0.0.2\","
                            + "\"Mask\":\"////AA==\"},\"Gateway\":\"10.0.0.1\"},{\"Interface\":null,\"Address\":"
                            + "{\"IP\":\"fd00::2\",\"Mask\":\"//////////8AAAAAAAAAAA==\"},\"Gateway\":\"\"}]}");
        }
        assertThat(printed()).isEqualTo(Json.pretty(Json.parse("t", PREVIOUS.formatted("1.0.0"))));
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                argumentSet("an error of the agent", 500, "no ztunnel connected", "status 500: no ztunnel connected"),
                argumentSet("an answer that is no yes", 202, "", "status 202"),
                argumentSet("a bad request", 400, "bad", "status 400: bad"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void case26_givenAnAgentThatDoesNotSayYes_thenAddFails(int status, String text, String details) throws Exception {
        pods.pod("{\"istio.io/dataplane-mode\":\"ambient\"}", "{}", false);
        try (var _ = upstreamAgent(status, text)) {
            assertThat(add(conf("1.0.0", "{}"))).isOne();
        }
        assertThat(error().at("code").integer(0, 1000)).hasValue(999);
        assertThat(error().at("msg").text()).isEqualTo("istio-cni cmdAdd failed to contact node Istio CNI agent");
        assertThat(error().at("details").text()).contains(details);
    }

    @Test
    void givenAnAgentThatDecides_thenItGetsTheCallAsItCameAndNobodyElseIsAsked() throws Exception {
        pods.failing(Integer.MAX_VALUE);
        var conf = conf("1.0.0", PREVIOUS.formatted("1.0.0"));
        try (var agent = agent(200, "{\"the\": \"result\"}")) {
            assertThat(add(conf)).isZero();
            assertThat(printed()).isEqualTo("{\"the\": \"result\"}");
            assertThat(agent.posts()).hasSize(1).first().asString().startsWith("POST /add HTTP/1.1 CNI_COMMAND=ADD\0");
            var call = CniHandover.parse(agent.bodies().getFirst());
            assertThat(call.isAboutAPod()).isTrue();
            assertThat(List.of(call.podNamespace(), call.podName(), call.podUid(), call.namespacePath()))
                    .containsExactly("shop", "web", "u", "/var/run/netns/x");
            assertThat(call.addresses()).extracting(Ip::toString).containsExactly("10.0.0.2", "fd00::2");
            assertThat(call.result()).isEqualTo(Json.pretty(Json.parse("t", PREVIOUS.formatted("1.0.0"))));
        }
        assertThat(lookups).isEmpty();
    }

    @Test
    void givenAnAgentThatCannotCapture_thenAddFailsInItsWordsAndNobodyElseIsAsked() throws Exception {
        pods.pod("{}", "{}", false);
        var problem = Problem.ofInput("no-proxy", "no ztunnel connected", "start one");
        try (var _ = agent(500, CniHandover.failure(problem))) {
            assertThat(add(conf("1.0.0", "{}"))).isOne();
        }
        assertThat(error().at("code").integer(0, 1000)).hasValue(999);
        assertThat(error().at("msg").text()).isEqualTo("no ztunnel connected");
        assertThat(lookups).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 404, 500, 503})
    void givenAnAgentThatDoesNotDecide_thenTheApiServerTells(int status) throws Exception {
        pods.pod("{}", "{}", false);
        try (var agent = agent(status, "no JSON")) {
            assertThat(add(conf("1.0.0", "{}"))).isZero();
            assertThat(agent.posts()).hasSize(1);
        }
        assertThat(lookups).hasSize(1);
    }

    @Test
    void givenNoAgent_thenPodsOutsideTheMeshStartAndOthersDoNot() {
        pods.pod("{}", "{}", false);
        assertThat(add(conf("1.0.0", "{}"))).isZero();
        out.reset();
        pods.pod("{\"istio.io/dataplane-mode\":\"ambient\"}", "{}", false);
        assertThat(add(conf("1.0.0", "{}"))).isOne();
    }

    static Stream<Arguments> leftToNobody() {
        return Stream.of(
                argumentSet("a pod", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web", true),
                argumentSet("what is no pod", "", false),
                argumentSet("the agent", "K8S_POD_NAMESPACE=istio-system;K8S_POD_NAME=istio-cni-node-a", false),
                argumentSet("an impostor", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=istio-cni-node-a", true),
                argumentSet("an excluded namespace", "K8S_POD_NAMESPACE=kube-system;K8S_POD_NAME=web", false));
    }

    @ParameterizedTest
    @MethodSource("leftToNobody")
    void whenACallIsHandedOver_thenItIsAboutAPodOrNot(String arguments, boolean pod) {
        environment.put("CNI_ARGS", arguments);
        assertThat(CniHandover.parse(CniHandover.text(environment, conf("1.0.0", "{}")))
                        .isAboutAPod())
                .isEqualTo(pod);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "{}", "CNI_COMMAND=ADD", "CNI_COMMAND\0\0{}", "CNI_COMMAND=ADD\0\0{}", "\0\0\0"})
    void givenNoCall_whenItIsHandedOver_thenThatIsAnError(String text) {
        assertThatThrownBy(() -> CniHandover.parse(text)).isInstanceOf(CniException.class);
    }

    static Stream<Arguments> runFolders() {
        return Stream.of(
                argumentSet(
                        "as the installer writes it", "{\"cni_agent_run_dir\": \"/run/a b\", \"x\": 1}", "/run/a b"),
                argumentSet("not said", "{\"name\": \"n\"}", "/var/run/istio-cni"),
                argumentSet("cut off", "{\"cni_agent_run_dir\": \"/run", "/var/run/istio-cni"),
                argumentSet("no text", "{\"cni_agent_run_dir\": 7}", "/var/run/istio-cni"),
                argumentSet("not absolute", "{\"cni_agent_run_dir\": \"run\"}", "/var/run/istio-cni"));
    }

    @ParameterizedTest
    @MethodSource("runFolders")
    void whenTheRunFolderIsLookedFor_thenFoundOrTheUsualOne(String conf, String folder) {
        assertThat(CniHandover.runFolder(conf)).hasToString(folder);
    }

    @Test
    void case26_givenNoAgentOrOneThatIsSilent_thenAddFails() throws Exception {
        pods.pod("{\"istio.io/dataplane-mode\":\"ambient\"}", "{}", false);
        assertThat(add(conf("1.0.0", "{}"))).isOne();
        assertThat(error().at("msg").text()).contains("failed to contact node Istio CNI agent");
        try (var _ = upstreamAgent(0, "")) {
            out.reset();
            assertThat(add(conf("1.0.0", "{}"))).isOne(); // after five seconds
            assertThat(error().at("details").text()).contains("5000 ms");
        }
    }

    static Stream<Arguments> leftAlone() {
        var ambient = "{\"istio.io/dataplane-mode\":\"ambient\"}";
        return Stream.of(
                argumentSet("the host's network", ambient, "{}", true, "shop"),
                argumentSet("a sidecar", ambient, "{\"sidecar.istio.io/status\":\"{}\"}", false, "shop"),
                argumentSet("a pod that declines", "{\"istio.io/dataplane-mode\":\"none\"}", "{}", false, "shop"),
                argumentSet("an excluded namespace", ambient, "{}", false, "kube-system"));
    }

    @ParameterizedTest
    @MethodSource("leftAlone")
    void case27_givenAPodToLeaveAlone_thenTheAgentIsNotAsked(
            String labels, String annotations, boolean hostNetwork, String namespace) throws Exception {
        pods.pod(labels, annotations, hostNetwork).namespace("istio.io/dataplane-mode", "ambient");
        environment.put("CNI_ARGS", "K8S_POD_NAMESPACE=" + namespace + ";K8S_POD_NAME=web");
        try (var agent = upstreamAgent(500, "must not be asked")) {
            assertThat(add(conf("1.0.0", PREVIOUS.formatted("1.0.0")))).isZero();
            assertThat(agent.posts()).isEmpty();
        }
        assertThat(lookups).hasSize(namespace.equals("kube-system") ? 0 : 1);
        assertThat(printed()).contains("10.0.0.2/24");
    }

    @Test
    void case27_givenAPodOutsideTheMesh_thenTheAgentIsNotAsked() throws Exception {
        pods.pod("{}", "{}", false);
        try (var agent = upstreamAgent(500, "must not be asked")) {
            assertThat(add(conf("1.0.0", "{}"))).isZero();
            assertThat(agent.posts()).isEmpty();
        }
    }

    @Test
    void case28_givenTheAgentsOwnPod_thenNothingIsNeeded() throws Exception {
        environment.put("CNI_ARGS", "K8S_POD_NAMESPACE=istio-system;K8S_POD_NAME=istio-cni-node-x7k2p");
        pods.failing(Integer.MAX_VALUE);
        assertThat(add(conf("1.0.0", "{}"))).isZero();
        assertThat(lookups).isEmpty();
        environment.put("CNI_ARGS", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=istio-cni-node-x7k2p"); // an impostor
        assertThat(add(conf("1.0.0", "{}"))).isOne();
    }

    @Test
    void givenNoKubeconfig_thenAddFails() {
        environment.put("CNI_ARGS", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web");
        var plugin = new CniPlugin(environment, stream(out), stream(err), () -> Instant.EPOCH, pauses::add, () -> {});
        assertThat(plugin.run(input(conf("1.0.0", "{}")))).isOne();
        assertThat(error().at("msg").text()).contains("istio-cni-kubeconfig");
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void case29_givenAnApiServerThatIsDown_thenAddFails(String retry) {
        pods.failing(Integer.MAX_VALUE);
        assertThat(add(conf("1.0.0", "{}")
                        .replace(
                                "\"enable_ambient_detection_retry\":false",
                                "\"enable_ambient_detection_retry\":" + retry)))
                .isOne();
        assertThat(pauses).hasSize(retry.equals("true") ? 30 : 1).containsOnly(Duration.ofSeconds(1));
        assertThat(error().at("msg").text()).isEqualTo("the API server is down");
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void case29_givenAnApiServerThatComesBack_thenThePodIsCapturedAllTheSame(String retry) throws Exception {
        pods.failing(1).pod("{\"istio.io/dataplane-mode\":\"ambient\"}", "{}", false);
        try (var agent = upstreamAgent(200, "")) {
            assertThat(add(conf("1.0.0", "{}")
                            .replace(
                                    "\"enable_ambient_detection_retry\":false",
                                    "\"enable_ambient_detection_retry\":" + retry)))
                    .isZero();
            assertThat(agent.posts()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(CniVersion.class)
    void case30_givenAnyVersionAndVerb_thenItIsAnswered(CniVersion version) throws Exception {
        pods.pod("{\"istio.io/dataplane-mode\":\"ambient\"}", "{}", false);
        try (var agent = upstreamAgent(200, "")) {
            assertThat(add(conf(version.toString(), ""))).isZero(); // without a previous result
            assertThat(printed()).isEqualTo("{\n  \"cniVersion\": \"" + version + "\",\n  \"dns\": {}\n}\n");
            assertThat(agent.posts()).hasSize(1).first().asString().endsWith("\"IPs\":null}");
        }
        for (var verb : List.of(CniVerb.CHECK, CniVerb.DEL, CniVerb.GC, CniVerb.STATUS)) {
            out.reset();
            environment.put("CNI_COMMAND", verb.name());
            var allowed = version.compareTo(verb.since()) >= 0;
            assertThat(add(conf(version.toString(), ""))).as("%s", verb).isEqualTo(allowed ? 0 : 1);
            if (allowed) {
                assertThat(printed()).isEmpty();
            } else {
                assertThat(error().at("code").integer(0, 1000)).hasValue(1);
            }
        }
        assertThat(lookups).hasSize(1);
    }

    @Test
    void case30_givenTheOldFormOfAResult_thenItsAddressesAreSent() throws Exception {
        pods.pod("{\"istio.io/dataplane-mode\":\"ambient\"}", "{}", false);
        try (var agent = upstreamAgent(200, "")) {
            var old = "{\"ip4\":{\"ip\":\"10.0.0.2/24\",\"gateway\":\"10.0.0.1\"},\"ip6\":{\"ip\":\"fd00::2/64\"}}";
            assertThat(add(conf("0.2.0", old))).isZero();
            assertThat(agent.posts().getFirst()).contains("\"10.0.0.2\"", "\"fd00::2\"", "\"Interface\":null");
        }
        assertThat(Field.root(Json.parse("t", printed())).at("ip4").at("ip").text())
                .isEqualTo("10.0.0.2/24");
    }

    @Test
    void case31_givenAPodWithoutAddressesInItsStatus_thenThoseOfTheNetworkAreSent() throws Exception {
        pods.pod("{\"istio.io/dataplane-mode\":\"ambient\"}", "{}", false); // its status is empty
        try (var agent = upstreamAgent(200, "")) {
            assertThat(add(conf("1.1.0", PREVIOUS.formatted("1.1.0")))).isZero();
            assertThat(agent.posts().getFirst()).contains("10.0.0.2", "fd00::2");
        }
    }

    @Test
    void whenAskedForVersions_thenAllAreNamed() {
        environment.clear();
        environment.put("CNI_COMMAND", "VERSION");
        assertThat(add("{\"cniVersion\":\"9.9.9\"}")).isZero();
        assertThat(Field.root(Json.parse("t", printed()))
                        .at("supportedVersions")
                        .texts())
                .containsExactly("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0");
        assertThat(add("")).as("without any input").isZero();
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("an unknown version", Map.of(), "{\"cniVersion\":\"2.0.0\",\"name\":\"n\"}", 1),
                argumentSet("an unknown verb", Map.of("CNI_COMMAND", "FLY"), "{}", 4),
                argumentSet("no namespace", Map.of("CNI_NETNS", ""), "{\"name\":\"n\"}", 4),
                argumentSet("a bad container", Map.of("CNI_CONTAINERID", "a/b"), "{\"name\":\"n\"}", 4),
                argumentSet("a bad interface", Map.of("CNI_IFNAME", "0123456789abcdef"), "{\"name\":\"n\"}", 4),
                argumentSet("not JSON", Map.of(), "{", 6),
                argumentSet("nothing", Map.of(), "", 6),
                argumentSet("another type", Map.of(), "{\"name\":\"n\",\"ambient_enabled\":\"yes\"}", 6),
                argumentSet("a bad address", Map.of(), badAddress(), 6),
                argumentSet("no name", Map.of(), "{\"cniVersion\":\"1.0.0\"}", 7),
                argumentSet("our own namespace", Map.of("CNI_NETNS", "/proc/self/ns/net"), "{\"name\":\"n\"}", 8));
    }

    private static String badAddress() {
        return "{\"name\":\"n\",\"cniVersion\":\"1.0.0\",\"ambient_enabled\":true,\"cni_agent_run_dir\":\"/nowhere\","
                + "\"prevResult\":{\"ips\":[{\"address\":\"10.0.0.300/24\"}]}}";
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void givenAMistakeOfTheCaller_thenTheCodeSaysWhich(Map<String, String> changes, String input, int code) {
        pods.pod("{\"istio.io/dataplane-mode\":\"ambient\"}", "{}", false);
        environment.putAll(changes);
        assertThat(add(input)).isOne();
        assertThat(error().at("code").integer(0, 1000)).hasValue(code);
        assertThat(error().at("msg").text()).isNotEmpty();
    }

    @Test
    void givenOurOwnNamespace_whenThatIsWanted_thenItIsTaken() {
        environment.put("CNI_NETNS", "/proc/self/ns/net");
        environment.put("CNI_NETNS_OVERRIDE", "1");
        environment.remove("CNI_ARGS");
        assertThat(add("{\"name\":\"n\",\"cniVersion\":\"1.0.0\"}")).isZero();
    }

    @Test
    void whenStartedByHand_thenItSaysWhatItIs() {
        environment.clear();
        assertThat(add("")).isZero();
        assertThat(printed()).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("CNI plugin");
    }

    @Test
    void whenSomethingIsLogged_thenOnStandardErrorInTheFileAndAtTheAgent() throws Exception {
        pods.failing(1).pod("{\"istio.io/dataplane-mode\":\"ambient\"}", "{}", false);
        try (var _ = upstreamAgent(200, "");
                var logs = PostSocket.answering(run.resolve("log.sock"), 200, "")) {
            assertThat(add(conf("1.0.0", "{}"))).isZero();
            var lines = err.toString(StandardCharsets.UTF_8).lines().toList();
            assertThat(lines)
                    .containsExactly(
                            "{\"level\":\"warn\",\"time\":\"1970-01-01T00:00:00Z\",\"msg\":"
                                    + "\"the agent does not decide about pod shop/web, so the API server is asked\"}",
                            "{\"level\":\"warn\",\"time\":\"1970-01-01T00:00:00Z\",\"msg\":"
                                    + "\"asking again for pod shop/web: the API server is down\"}",
                            "{\"level\":\"info\",\"time\":\"1970-01-01T00:00:00Z\",\"msg\":\"pod shop/web is captured\"}");
            assertThat(Files.readAllLines(run.resolve("istio-cni.log"))).isEqualTo(lines);
            assertThat(logs.posts()).containsExactly("POST /log HTTP/1.1 " + Json.compact(Json.of(lines)));
        }
    }

    @Test
    void givenAFullLogFile_thenItIsRolled() throws Exception {
        try (var file = new RandomAccessFile(run.resolve("istio-cni.log").toFile(), "rw")) {
            file.setLength(10 * 1024 * 1024);
        }
        environment.put("CNI_ARGS", "K8S_POD_NAMESPACE=istio-system;K8S_POD_NAME=istio-cni-node-x7k2p");
        add(conf("1.0.0", "{}").replace("\"info\"", "\"debug\""));
        assertThat(run.resolve("istio-cni.log")).doesNotExist();
        assertThat(run.resolve("istio-cni.log.1")).exists();
        add(conf("1.0.0", "{}").replace("\"info\"", "\"debug\""));
        assertThat(Files.size(run.resolve("istio-cni.log"))).isLessThan(1000);
    }

    private int add(String stdin) {
        var plugin = new CniPlugin(environment, stream(out), stream(err), () -> Instant.EPOCH, pauses::add, _ -> pods);
        return plugin.run(input(stdin));
    }

    /// One of ours.
    private PostSocket agent(int status, String text) throws IOException {
        return PostSocket.answering(run.resolve("pluginevent.sock"), status, text);
    }

    /// One that knows `/cmdadd` alone.
    private PostSocket upstreamAgent(int status, String text) throws IOException {
        return PostSocket.answeringAt("/cmdadd", run.resolve("pluginevent.sock"), status, text);
    }

    private String conf(String version, String previous) {
        return """
                {"cniVersion":"%s","name":"k8s-pod-network","type":"istio-cni","ambient_enabled":true,
                 "cni_agent_run_dir":"%s","enable_ambient_detection_retry":false,"exclude_namespaces":["kube-system"],
                 "pod_namespace":"istio-system","plugin_log_level":"info","dns":{},"ipam":{}%s}""".formatted(version, run, previous.isEmpty() ? "" : ",\"prevResult\":" + previous);
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private Field error() {
        return Field.root(Json.parse("stdout", printed()));
    }

    private static ByteArrayInputStream input(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    /// One pod, whatever its name, and its namespace.
    private final class Pods implements PodLookup {
        private String pod = "";
        private String namespaceLabels = "{}";
        private int failures;

        Pods pod(String labels, String annotations, boolean hostNetwork) {
            pod = """
                    {"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"web","labels":%s,"annotations":%s},
                     "spec":{"hostNetwork":%s},"status":{}}""".formatted(labels, annotations, hostNetwork);
            return this;
        }

        Pods namespace(String label, String value) {
            namespaceLabels = "{\"" + label + "\":\"" + value + "\"}";
            return this;
        }

        Pods failing(int times) {
            failures = times;
            return this;
        }

        @Override
        public Found find(PodArgs name) {
            lookups.add(name);
            if (failures-- > 0) {
                throw new ProblemException(Problem.ofInput("kube-unreachable", "the API server is down", "start it"));
            }
            var namespace = "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"shop\",\"labels\":"
                    + namespaceLabels + "}}";
            return Manifests.found(pod, namespace);
        }

        @Override
        public void close() {}
    }
}
