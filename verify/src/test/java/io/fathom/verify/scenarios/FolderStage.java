// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.scenarios;

import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.manifests.ManifestFolder;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;

/// A folder of files.
record FolderStage(ManifestFolder folder) implements Stage {
    @Override
    public RunningFathomd start(Map<String, String> env) {
        return RunningFathomd.on(folder.path(), env);
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
