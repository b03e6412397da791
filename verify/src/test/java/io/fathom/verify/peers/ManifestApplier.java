// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.manifests.ManifestDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/// The real `kubectl` as administrator of a cluster. What it refuses is an error with its own words.
public final class ManifestApplier {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> SERVER_SAYS =
            List.of("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds");

    private final KubeApiServer cluster;
    private final String program = StockProgram.KUBECTL.require().toString();

    public ManifestApplier(KubeApiServer cluster) {
        this.cluster = cluster;
    }

    /// Applies objects, namespaces first, and then the statuses that some of them have.
    public void apply(List<ManifestDocument> documents) {
        if (documents.isEmpty()) {
            return;
        }
        var sorted = new ArrayList<>(documents);
        sorted.sort(Comparator.comparing(document -> !document.kind().equals("Namespace")));
        run(text(sorted, "status"), "apply", "--server-side", "--force-conflicts", "--validate=false", "-f", "-");
        var statuses = documents.stream()
                .filter(document -> document.content().containsKey("status"))
                .toList();
        if (!statuses.isEmpty()) {
            run(
                    text(statuses, "spec"),
                    "apply",
                    "--server-side",
                    "--force-conflicts",
                    "--validate=false",
                    "--subresource=status",
                    "-f",
                    "-");
        }
    }

    /// Deletes objects at once.
    public void delete(List<ManifestDocument> documents) {
        if (!documents.isEmpty()) {
            run(text(documents, "status"), "delete", "--grace-period=0", "--force", "--wait=false", "-f", "-");
        }
    }

    /// As JSON, which kubectl takes for YAML, and in which no text can be mistaken for something else.
    private static String text(List<ManifestDocument> documents, String without) {
        return documents.stream()
                .map(document -> {
                    ObjectNode content = JSON.valueToTree(document.content());
                    content.remove(without);
                    if (content.get("metadata") instanceof ObjectNode metadata) {
                        metadata.remove(SERVER_SAYS);
                    }
                    return content.toString();
                })
                .collect(Collectors.joining("\n---\n"));
    }

    /// Returns what it said.
    public String run(String input, String... arguments) {
        var command = new ArrayList<>(List.of(program, "--kubeconfig=" + cluster.kubeconfig()));
        command.addAll(List.of(arguments));
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("HOME", cluster.workspace().directory().toString());
            var process = builder.start();
            try (var in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            }
            var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + " said " + said);
            }
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
