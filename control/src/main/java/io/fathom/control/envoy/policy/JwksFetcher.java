// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import java.io.IOException;

/// Gets a key set from where it is, now. May block; any thread.
@FunctionalInterface
public interface JwksFetcher {
    /// Gets it, once.
    ///
    /// @return the text of a key set with at least one key
    /// @throws IOException with words for the operator about why there is none
    String fetch(JwksSource source) throws IOException, InterruptedException;
}
