// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.client.Answer;
import io.fathom.verify.client.DeltaClient;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestFolder;
import io.fathom.verify.manifests.Recordings;
import java.nio.file.Path;
import java.util.Map;
import org.awaitility.Awaitility;

/// Our control plane on the best known sample application, and what our own client sees of it.
final class SampleMesh implements AutoCloseable {
    private final RunningFathomd fathomd;
    private final Answer answer;

    SampleMesh(Path folder) {
        this(folder, Map.of());
    }

    /// With settings as upstream names them, on a folder that may already hold more.
    SampleMesh(Path folder, Map<String, String> environment) {
        new ManifestFolder(folder).apply(Recordings.start("bookinfo"));
        fathomd = RunningFathomd.on(folder, environment);
        try (var client = DeltaClient.connect(fathomd.plaintextPort())) {
            Awaitility.await().until(client::answered);
            answer = client.answer();
            assertThat(answer.addresses()).hasSizeGreaterThan(10);
            assertThat(answer.authorizations()).isNotEmpty();
        }
    }

    RunningFathomd fathomd() {
        return fathomd;
    }

    Answer answer() {
        return answer;
    }

    @Override
    public void close() {
        fathomd.close();
    }
}
