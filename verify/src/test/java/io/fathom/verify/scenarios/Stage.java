// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.scenarios;

import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;

/// Where the manifests of a scenario are, so that a control plane can read them.
interface Stage {
    RunningFathomd start(Map<String, String> env);

    /// Puts a WorkloadEntry there that is no part of the scenario.
    void probe(String manifest);

    /// The manifests of the scenario that are there now.
    Collection<ManifestDocument> objects();

    /// Whether a resource comes from the place itself.
    boolean isOwn(String name);

    /// How long a change may take.
    Duration patience();
}
