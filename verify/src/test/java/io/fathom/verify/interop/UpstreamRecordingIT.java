// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static java.util.Comparator.comparing;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.client.Answer;
import io.fathom.verify.client.DeltaClient;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.manifests.Recordings;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The harness itself: upstream's control plane, run here, still answers as recorded, read by the client that reads
/// ours. So a difference that the live comparison reports is one between the control planes.
@Tag("slow")
@Tag("interop")
class UpstreamRecordingIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    /// The API server's own port is another one here.
    private static final Set<String> OWN = Set.of(
            "default/kubernetes.default.svc.cluster.local",
            "Kubernetes/discovery.k8s.io/EndpointSlice/default/kubernetes/172.18.0.2");

    @Test
    void givenRecordedManifests_whenUpstreamIsAsked_thenAnswerIsAsRecorded() {
        var expected =
                Answer.read(Recordings.path("wds/bookinfo/expected.json")).only(name -> !OWN.contains(name));
        try (var cluster = KubeApiServer.start(InstantSource.system())) {
            Recordings.start("bookinfo").stream()
                    .filter(document -> !document.name().equals("kubernetes"))
                    .sorted(comparing(document -> !document.kind().equals("Namespace")))
                    .forEach(document -> cluster.client().apply(object(document)));
            try (var istiod = Istiod.start(cluster);
                    var client = DeltaClient.connect(istiod.port())) {
                Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                    assertThat(client.answered()).isTrue();
                    assertThat(expected.differencesTo(client.answer().only(name -> !OWN.contains(name))))
                            .isEmpty();
                });
            }
        }
    }

    private static ObjectNode object(ManifestDocument document) {
        return JSON.valueToTree(document.content());
    }
}
