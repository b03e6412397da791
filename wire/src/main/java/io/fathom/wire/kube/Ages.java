// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import java.time.Instant;

/// Knows since when an object exists that does not say so itself.
@FunctionalInterface
public interface Ages {
    Instant firstSeen(ManifestId id);
}
