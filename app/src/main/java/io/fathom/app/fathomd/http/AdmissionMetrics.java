// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.control.webhook.AdmissionObserver;
import io.fathom.control.webhook.AdmissionReview;
import io.prometheus.metrics.core.metrics.Counter;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Counts what the webhook answers, under upstream's names. Whoever reaches the port may claim to ask for any kind, so
/// after so many kinds all others count as one.
public final class AdmissionMetrics implements AdmissionObserver {
    private static final int MOST_KINDS = 64;

    private final Set<String> kinds = ConcurrentHashMap.newKeySet();
    private final Counter passed;
    private final Counter refused;
    private final Counter misunderstood;

    public AdmissionMetrics(ControlMetrics metrics) {
        passed = metrics.counter(
                "galley_validation_passed", "Objects that may be stored.", "group", "version", "resource");
        refused = metrics.counter(
                "galley_validation_failed", "Objects that were refused.", "group", "version", "resource", "reason");
        misunderstood = metrics.counter("galley_validation_http_error", "Questions that were none.", "status");
    }

    @Override
    public void passed(AdmissionReview review) {
        if (isCounted(review)) {
            passed.labelValues(review.group(), review.version(), review.resource())
                    .inc();
        } else {
            passed.labelValues("other", "", "").inc();
        }
    }

    @Override
    public void refused(AdmissionReview review) {
        if (isCounted(review)) {
            refused.labelValues(review.group(), review.version(), review.resource(), "invalid_resource")
                    .inc();
        } else {
            refused.labelValues("other", "", "", "invalid_resource").inc();
        }
    }

    private boolean isCounted(AdmissionReview review) {
        var kind = review.group() + "/" + review.version() + "/" + review.resource();
        return kinds.contains(kind) || (kinds.size() < MOST_KINDS && kinds.add(kind));
    }

    @Override
    public void misunderstood(int status) {
        misunderstood.labelValues(String.valueOf(status)).inc();
    }
}
