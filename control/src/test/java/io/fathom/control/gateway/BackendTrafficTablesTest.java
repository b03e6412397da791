// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.control.Ids;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.BackendPolicyManifest.Target;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class BackendTrafficTablesTest {
    private final Flow flow = new Flow();
    private final Source<ObjectKey, BackendTrafficPolicyManifest> policies = flow.source("policies");
    private final Source<ManifestId, RouteVerdict> routes = flow.source("routes");
    private final BackendTrafficTables tables = new BackendTrafficTables(
            flow,
            policies,
            new PolicyAncestors(flow, routes, (_, _, service) -> Optional.of(service.sibling("waypoint"))));

    private void put(String name, int age, String... ignored) {
        var policy = new BackendTrafficPolicyManifest(
                new Metadata(
                        new ObjectKey("c1", "shop", name),
                        "",
                        Map.of(),
                        Map.of(),
                        Instant.EPOCH.minusSeconds(age),
                        Metadata.Lifecycle.ACTIVE),
                List.of(new Target("", "Service", "web", "")),
                Optional.of(new RetryBudget(OptionalDouble.of(20), OptionalInt.of(10), Optional.empty())),
                List.of(ignored));
        flow.update(update -> update.put(policies, policy.key(), policy));
    }

    private ParentVerdict verdict(String name) {
        return requireNonNull(flow.cut().of(tables.verdicts()).get(Ids.of("c1", "XBackendTrafficPolicy/shop/" + name)))
                .getFirst();
    }

    @Test
    void givenATargetBehindAWaypoint_thenThatIsTheAncestorAndSaysWhatDoesNotCount() {
        put("whole", 0);
        assertThat(verdict("whole").parent().name()).isEqualTo("waypoint");
        assertThat(verdict("whole").accepted()).isEqualTo(Finding.good("Accepted", "in effect"));

        put("whole", 0, "spec.sessionPersistence");
        assertThat(verdict("whole").accepted().isGood()).isTrue();
        assertThat(verdict("whole").accepted().message()).contains("spec.sessionPersistence");
    }

    @Test
    void givenSeveralForATarget_thenTheOldestCounts() {
        put("old", 9);
        put("young", 1);

        assertThat(verdict("old").accepted().reason()).isEqualTo("Accepted");
        assertThat(verdict("young").accepted().reason()).isEqualTo("Conflicted");
        assertThat(verdict("young").accepted().message()).contains("XBackendTrafficPolicy shop/old");
    }
}
