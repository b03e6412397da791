// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Limits;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Damaged manifests are read or refused with a line, and never make a reader fail in a way it does not know.
class ManifestFuzzTest {
    private static final String SAMPLE = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop, labels: {app: web}}
            spec:
              clusterIP: 10.0.0.1
              selector: {app: web}
              ports:
              - {name: http, port: 80, targetPort: web}
            ---
            apiVersion: v1
            kind: Pod
            metadata:
              name: web-1
              creationTimestamp: 2026-01-01T00:00:00Z
              labels: &labels {app: web}
            spec:
              containers:
              - ports: [{containerPort: 80, name: web}]
            status:
              phase: Running
              podIPs: [{ip: 10.0.0.2}]
              conditions: [{type: Ready, status: "True"}]
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data:
              mesh: |
                trustDomain: td
                discoverySelectors: [{matchLabels: {a: b}}]
            ---
            apiVersion: security.istio.io/v1
            kind: AuthorizationPolicy
            metadata: {name: a, labels: {<<: {x: z}}}
            spec:
              rules: [{from: [{source: {principals: ["*"]}}], when: [{key: source.ip, values: [1.2.3.4]}]}]
            """;
    private static final String JSON_SAMPLE = """
            {"apiVersion": "v1", "kind": "List", "items": [
              {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a", "labels": {"b": "c"}}},
              {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": null}}]}
            """;
    private static final String SPICES = "{}[]:,-#&*!|>'\"%@`\t\n\r ~?<=.0\\\u0000\u0085\u2028\uFEFF\uD83D";

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void givenDamagedText_thenItIsReadOrRefused(long seed) {
        var random = new Random(seed);
        var reader = new ManifestReader(Reads.CONFIG);
        for (var round = 0; round < 300; round++) {
            check(reader, Documents.ofYaml("f", damaged(SAMPLE, random), Limits.DEFAULT));
            check(reader, Documents.ofJson("f", damaged(JSON_SAMPLE, random), Limits.DEFAULT));
        }
    }

    private static void check(ManifestReader reader, List<Document> documents) {
        for (var document : documents) {
            switch (document) {
                case Document.Broken(var cause) -> check(ManifestProblem.of(cause, ""));
                case Document.Parsed(var root) ->
                    reader.read(root, _ -> Reads.FIRST_SEEN).forEach(reading -> {
                        if (reading instanceof Reading.Bad(var problems, var _)) {
                            problems.forEach(ManifestFuzzTest::check);
                        }
                    });
            }
        }
    }

    private static void check(ManifestProblem problem) {
        assertThat(problem.problem().code()).isNotEqualTo("manifest-reader-failed");
        assertThat(problem.line()).isPositive();
        assertThat(problem.problem().fix()).isNotBlank();
    }

    private static String damaged(String sample, Random random) {
        var text = new StringBuilder(sample);
        for (var times = 1 + random.nextInt(4); times > 0; times--) {
            var at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.insert(at, SPICES.charAt(random.nextInt(SPICES.length())));
                case 1 -> text.deleteCharAt(at);
                case 2 -> text.setCharAt(at, SPICES.charAt(random.nextInt(SPICES.length())));
                default -> {
                    var end = Math.min(text.length(), at + random.nextInt(40));
                    text.insert(random.nextInt(text.length()), text.substring(at, end));
                }
            }
        }
        return text.toString();
    }
}
