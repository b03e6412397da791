// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.scenarios;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.client.Answer;
import io.fathom.verify.client.DeltaClient;
import io.fathom.verify.client.JsonDiff;
import io.fathom.verify.client.ResourceType;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;

/// A control plane and a client on it, held against the recording of one scenario.
///
/// To know that nothing more is on its way it changes an object of its own and waits until that has arrived: all that
/// was caused before comes before it.
final class GoldenRun implements AutoCloseable {
    /// A condition that only we write: docs/differences.md.
    private static final String OURS = "EnvoyAccepted";
    private static final Set<String> RECORDED =
            Set.of("Service", "ServiceEntry", "WorkloadEntry", "AuthorizationPolicy");

    private static final String PROBE = "Kubernetes/networking.istio.io/WorkloadEntry/verify-probe/probe";

    private final GoldenScenario scenario;
    private final Stage stage;
    private final RunningFathomd fathomd;
    private final DeltaClient client;
    private int probes;

    GoldenRun(GoldenScenario scenario, Stage stage) {
        this.scenario = scenario;
        this.stage = stage;
        this.fathomd = stage.start(scenario.env());
        this.client = DeltaClient.connect(fathomd.plaintextPort());
    }

    /// Waits until the client holds what upstream answered after the step, and nothing else.
    void expectAnswer(int step) {
        var expected = scenario.expected(step).only(not(stage::isOwn));
        Awaitility.await("the answer of step " + step)
                .atMost(stage.patience())
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> {
                    assertThat(client.answered()).isTrue();
                    assertThat(expected.differencesTo(answer())).isEmpty();
                });
        waitUntilQuiet();
        assertThat(expected.differencesTo(answer()))
                .as("still the answer, once quiet")
                .isEmpty();
        assertThat(client.danglingPolicies())
                .as("policies sent after a workload that names them")
                .isEmpty();
    }

    /// All that changed was pushed, and nothing that upstream would not have pushed too.
    void expectPushes(int step) {
        for (var type : ResourceType.values()) {
            var allowed = scenario.pushed(step, type);
            var pushes = client.takePushes(type);
            var updated = withoutProbe(pushes.updated());
            var removed = withoutProbe(pushes.removed());
            var permitted = new TreeSet<>(allowed.updated());
            permitted.addAll(allowed.removed());
            permitted.addAll(allowed.resent());
            assertThat(updated).as("%s updated in step %s", type, step).containsAll(allowed.updated());
            assertThat(removed).as("%s removed in step %s", type, step).containsAll(allowed.removed());
            assertThat(permitted)
                    .as("%s that may be pushed in step %s", type, step)
                    .containsAll(updated);
            assertThat(permitted)
                    .as("%s that may be removed in step %s", type, step)
                    .containsAll(removed);
        }
    }

    /// Forgets the names pushed so far.
    void forgetPushes() {
        for (var type : ResourceType.values()) {
            client.takePushes(type);
        }
    }

    /// The statuses we would write are those that upstream wrote.
    void expectWritten(int step) {
        var expected = comparable(scenario.written(step));
        Awaitility.await("the statuses of step " + step)
                .atMost(stage.patience())
                .untilAsserted(() -> assertThat(JsonDiff.between(expected, comparable(fathomd.statuses())))
                        .isEmpty());
    }

    @Override
    public void close() {
        client.close();
        fathomd.close();
    }

    private Answer answer() {
        return client.answer().only(name -> !name.equals(PROBE) && !stage.isOwn(name));
    }

    private void waitUntilQuiet() {
        probes++;
        var address = "192.0.2." + probes;
        stage.probe("""
                apiVersion: networking.istio.io/v1
                kind: WorkloadEntry
                metadata: {name: probe, namespace: verify-probe, creationTimestamp: '2000-01-01T00:00:00Z'}
                spec: {address: %s}
                """.formatted(address));
        Awaitility.await("the probe")
                .atMost(stage.patience())
                .pollInterval(Duration.ofMillis(2))
                .until(() -> {
                    var probe = client.answer().addresses().get(PROBE);
                    return probe != null
                            && probe.at("/workload/addresses/0").asText().equals(address);
                });
    }

    private static Set<String> withoutProbe(Set<String> names) {
        return names.stream().filter(not(PROBE::equals)).collect(Collectors.toCollection(TreeSet::new));
    }

    /// Conditions sorted, without their messages, and only those that upstream knows, of the kinds that were recorded.
    /// Those of service entries with several hosts were not.
    private JsonNode comparable(JsonNode statuses) {
        var severalHosts = stage.objects().stream()
                .filter(object -> object.kind().equals("ServiceEntry"))
                .filter(object -> hosts(object) > 1)
                .map(ManifestDocument::path)
                .collect(Collectors.toSet());
        ObjectNode result = new ObjectMapper().createObjectNode();
        statuses.properties().forEach(entry -> {
            if (!RECORDED.contains(entry.getKey().substring(0, entry.getKey().indexOf('/')))) {
                return;
            }
            var status = (ObjectNode) entry.getValue().deepCopy();
            status.retain(List.of("conditions", "addresses"));
            if (severalHosts.contains(entry.getKey())) {
                status.remove("conditions");
            }
            if (status.get("conditions") instanceof ArrayNode conditions) {
                var sorted = StreamSupport.stream(conditions.spliterator(), false)
                        .filter(condition -> !condition.path("type").asText().equals(OURS))
                        .sorted(Comparator.comparing(
                                condition -> condition.path("type").asText()))
                        .peek(condition -> ((ObjectNode) condition).remove(List.of("message", "lastTransitionTime")))
                        .peek(GoldenRun::forgetWhetherAllIsEnforced)
                        .toList();
                conditions.removeAll().addAll(sorted);
            }
            status.properties().removeIf(field -> field.getValue().isEmpty());
            if (!status.isEmpty()) {
                result.set(entry.getKey(), status);
            }
        });
        return result;
    }

    /// Of a DENY that node proxies cannot enforce in full, upstream says True and we say False: docs/differences.md.
    private static void forgetWhetherAllIsEnforced(JsonNode condition) {
        if (condition.path("reason").asText().equals("UnsupportedValue")) {
            ((ObjectNode) condition).remove("status");
        }
    }

    private static int hosts(ManifestDocument serviceEntry) {
        return serviceEntry.content().get("spec") instanceof Map<?, ?> spec
                        && spec.get("hosts") instanceof List<?> hosts
                ? hosts.size()
                : 0;
    }
}
