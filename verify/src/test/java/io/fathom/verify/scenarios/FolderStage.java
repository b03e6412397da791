// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.scenarios;

import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.manifests.ManifestFolder;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// A folder of files, and another one for the second cluster where there is one.
record FolderStage(ManifestFolder folder, Optional<ManifestFolder> peer) implements Stage {
    @Override
    public RunningFathomd start(Map<String, String> env) {
        var all = new HashMap<>(env);
        peer.ifPresent(own -> all.put("FATHOM_REMOTE_MANIFESTS", GoldenScenario.PEER + "=" + own.path()));
        return RunningFathomd.on(folder.path(), all);
    }

    @Override
    public void probe(String manifest) {
        folder.writeAside("probe.yaml", manifest);
    }

    @Override
    public Collection<ManifestDocument> objects() {
        return folder.objects();
    }

    @Override
    public boolean isOwn(String name) {
        return false;
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(10);
    }
}
