// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.util.List;

/// Who can say whether a service account token is good: the API server of a cluster, or the local issuer.
@FunctionalInterface
public interface TokenReviewer {
    /// Blocks for the answer. A reviewer that cannot be asked is an [io.fathom.base.lang.ProblemException].
    TokenReview review(String token, List<String> audiences);
}
