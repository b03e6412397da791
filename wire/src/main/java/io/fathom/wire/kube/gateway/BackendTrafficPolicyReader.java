// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import io.fathom.wire.kube.traffic.TrafficPolicyReader;
import io.fathom.wire.kube.tree.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/// Reads XBackendTrafficPolicies, with the defaults of their definition.
public final class BackendTrafficPolicyReader implements KindReader {
    private static final int PERCENT = 20;
    private static final int LEAST = 10;
    private static final int MOST = 1_000_000;
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new BackendTrafficPolicyManifest(
                metadata,
                BackendTargets.read(spec, interner),
                TrafficPolicyReader.present(spec.at("retryConstraint"), BackendTrafficPolicyReader::budget),
                ignored(spec));
    }

    private static RetryBudget budget(Field constraint) {
        var percent = constraint.at("budget").at("percent").integer(0, 100).orElse(PERCENT);
        var least = constraint.at("minRetryRate").at("count").integer(1, MOST).orElse(LEAST);
        var interval = Durations.read(constraint.at("budget").at("interval")).orElse(INTERVAL);
        return new RetryBudget(OptionalDouble.of(percent), OptionalInt.of(least), Optional.of(interval));
    }

    /// An Envoy keeps a number of retries under way free, whatever the rate.
    private static List<String> ignored(Field spec) {
        var result = new ArrayList<String>();
        if (!spec.at("retryConstraint")
                .at("minRetryRate")
                .at("interval")
                .text("1s")
                .equals("1s")) {
            result.add("spec.retryConstraint.minRetryRate.interval");
        }
        if (spec.at("sessionPersistence").isPresent()) {
            result.add("spec.sessionPersistence");
        }
        return result;
    }
}
