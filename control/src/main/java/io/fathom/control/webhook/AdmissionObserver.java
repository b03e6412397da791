// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

/// Hears of every question that the webhook answers. Called by many threads at once; must not block.
public interface AdmissionObserver {
    void passed(AdmissionReview review);

    void refused(AdmissionReview review);

    /// It was no question, or too long a one.
    void misunderstood(int status);
}
