// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import static io.fathom.control.ambient.PolicyManifests.operation;
import static io.fathom.control.ambient.PolicyManifests.policy;
import static io.fathom.control.ambient.PolicyManifests.rule;
import static io.fathom.control.ambient.PolicyManifests.source;
import static io.fathom.control.ambient.PolicyManifests.when;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.flow.Failures;
import io.fathom.control.Ids;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Action;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PolicyProblemsTest {
    private final AmbientMesh mesh = new AmbientMesh(AmbientConfig.defaults(), Failures.rethrown());

    @Test
    void givenPortsAndBlocksThatCannotBeRead_thenThePolicySaysSoUntilMended() {
        apply(policy(
                "app/p",
                Action.ALLOW,
                rule(source("ipBlocks", "10.0.0.0/8", "10.0.0.0/99"), operation("ports", "http", "80")),
                rule(when("destination.port", "70000"))));

        assertThat(Ids.problem(mesh.cut(), mesh.problems(), Ids.of("AuthorizationPolicy/app/p")))
                .hasValueSatisfying(problem -> assertThat(problem.message())
                        .contains("ports: http", "ipBlocks: 10.0.0.0/99", "destination.port: 70000"));

        apply(policy("app/p", Action.ALLOW, rule(source("ipBlocks", "10.0.0.0/8"), operation("ports", "80"))));
        assertThat(mesh.cut().of(mesh.problems()).isEmpty()).isTrue();
    }

    private void apply(AuthorizationPolicyManifest policy) {
        mesh.apply(List.of(new ManifestChange.Put(policy)));
    }
}
