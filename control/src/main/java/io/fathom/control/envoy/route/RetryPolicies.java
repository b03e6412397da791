// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Any;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.route.v3.RetryPolicy;
import io.envoyproxy.envoy.config.route.v3.RetryPolicy.RetryBackOff;
import io.envoyproxy.envoy.config.route.v3.RetryPolicy.RetryHostPredicate;
import io.envoyproxy.envoy.config.route.v3.RetryPolicy.RetryPriority;
import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy;
import io.envoyproxy.envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate;
import io.envoyproxy.envoy.extensions.retry.priority.previous_priorities.v3.PreviousPrioritiesConfig;
import io.fathom.wire.kube.gateway.HttpRouteManifest.Retry;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Retries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// When a request is tried again.
final class RetryPolicies {
    private static final String USUAL = "connect-failure,refused-stream,unavailable,cancelled";
    /// Where the Gateway API is asked to retry, it does so also after disconnects and attempts that took too long.
    private static final String ALL_FAILURES = USUAL + ",reset";
    private static final String STATUS_CODES = "retriable-status-codes";
    private static final int USUAL_ATTEMPTS = 2;
    private static final int HOST_SELECTION_ATTEMPTS = 5;
    private static final Pattern STATUS = Pattern.compile("[1-5][0-9][0-9]");
    private static final RetryHostPredicate OTHER_HOSTS = RetryHostPredicate.newBuilder()
            .setName("envoy.retry_host_predicates.previous_hosts")
            .setTypedConfig(Any.pack(PreviousHostsPredicate.getDefaultInstance()))
            .build();
    private static final RetryPriority OTHER_LOCALITIES = RetryPriority.newBuilder()
            .setName("envoy.retry_priorities.previous_priorities")
            .setTypedConfig(Any.pack(
                    PreviousPrioritiesConfig.newBuilder().setUpdateFrequency(2).build()))
            .build();

    private RetryPolicies() {}

    /// What counts when a route says nothing. Empty when nothing is tried again.
    ///
    /// @param mesh what the mesh says
    /// @param hashes of the destinations: where requests belong to a host, another one is no help
    static Optional<RetryPolicy> usual(Optional<Retries> mesh, List<HashPolicy> hashes) {
        return mesh.map(retries -> of(retries, hashes))
                .orElseGet(() -> Optional.of(base(hashes).build()));
    }

    private static RetryPolicy.Builder base(List<HashPolicy> hashes) {
        var policy = RetryPolicy.newBuilder()
                .setRetryOn(USUAL + "," + STATUS_CODES)
                .setNumRetries(UInt32Value.of(USUAL_ATTEMPTS))
                .setHostSelectionRetryMaxAttempts(HOST_SELECTION_ATTEMPTS);
        if (hashes.isEmpty()) {
            policy.addRetryHostPredicate(OTHER_HOSTS);
        }
        return policy;
    }

    /// Empty when nothing is tried again.
    static Optional<RetryPolicy> of(Retry retry, Optional<Duration> perTry, List<HashPolicy> hashes) {
        if (retry.attempts() == 0) {
            return Optional.empty();
        }
        var policy = base(hashes)
                .setRetryOn(retry.codes().isEmpty() ? ALL_FAILURES : ALL_FAILURES + "," + STATUS_CODES)
                .addAllRetriableStatusCodes(retry.codes());
        if (retry.attempts() > 0) {
            policy.setNumRetries(UInt32Value.of(retry.attempts()));
        }
        retry.backoff().ifPresent(backoff -> policy.setRetryBackOff(backOff(backoff)));
        perTry.filter(each -> !each.isZero()).ifPresent(each -> policy.setPerTryTimeout(Durations.of(each)));
        return Optional.of(policy.build());
    }

    /// Empty when nothing is tried again.
    static Optional<RetryPolicy> of(Retries retries, List<HashPolicy> hashes) {
        if (retries.attempts() == 0) {
            return Optional.empty();
        }
        var policy = base(hashes).setNumRetries(UInt32Value.of(retries.attempts()));
        if (!retries.on().isEmpty()) {
            writeConditions(policy, retries.on());
        }
        retries.perTry().ifPresent(each -> policy.setPerTryTimeout(Durations.of(each)));
        retries.backoff().ifPresent(backoff -> policy.setRetryBackOff(backOff(backoff)));
        retries.ignorePreviousHosts().ifPresent(ignored -> {
            policy.clearRetryHostPredicate();
            if (ignored) {
                policy.addRetryHostPredicate(OTHER_HOSTS);
            }
        });
        if (retries.remoteLocalities().orElse(false)) {
            policy.setRetryPriority(OTHER_LOCALITIES);
        }
        return Optional.of(policy.build());
    }

    private static void writeConditions(RetryPolicy.Builder policy, String text) {
        var words = new ArrayList<String>();
        for (var part : text.split(",", -1)) {
            var word = part.strip();
            if (STATUS.matcher(word).matches()) {
                policy.addRetriableStatusCodes(Integer.parseInt(word));
            } else if (!word.isEmpty()) {
                words.add(word);
            }
        }
        if (policy.getRetriableStatusCodesCount() > 0 && !words.contains(STATUS_CODES)) {
            words.add(STATUS_CODES);
        }
        policy.setRetryOn(String.join(",", words));
    }

    /// Envoy wants at least a millisecond.
    private static RetryBackOff backOff(Duration base) {
        var least = Duration.ofMillis(1);
        return RetryBackOff.newBuilder()
                .setBaseInterval(Durations.of(base.compareTo(least) < 0 ? least : base))
                .build();
    }
}
