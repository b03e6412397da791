// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/// Istio's kinds and those of the Gateway API: which must be in a cluster, and how they get there from a folder with
/// the files of their releases.
final class Definitions {
    /// What the control plane reads; the others are optional.
    static final List<String> NEEDED = List.of(
            "authorizationpolicies.security.istio.io",
            "peerauthentications.security.istio.io",
            "requestauthentications.security.istio.io",
            "serviceentries.networking.istio.io",
            "workloadentries.networking.istio.io",
            "gateways.gateway.networking.k8s.io",
            "gatewayclasses.gateway.networking.k8s.io");

    private static final String MANAGER = "fathomctl";

    private Definitions() {}

    /// Those of [#NEEDED] that the cluster does not have, or does not serve yet.
    static List<String> missing(KubeClient client) {
        return NEEDED.stream()
                .filter(name -> client.get(KubeResource.DEFINITIONS, "", name)
                        .filter(definition -> definition.root().at("status").at("conditions").items().stream()
                                .anyMatch(
                                        condition -> condition.at("type").text().equals("Established")
                                                && condition.at("status").text().equals("True")))
                        .isEmpty())
                .toList();
    }

    /// Applies every definition in the YAML files of a folder, or of one file, and waits until those we need are
    /// served.
    ///
    /// @return how many
    static int apply(KubeClient client, Path place, Waiting waiting) {
        var count = 0;
        for (var file : files(place)) {
            for (var document : Helm.documents(read(file))) {
                var root = Field.root(document);
                if (root.at("kind").text().equals("CustomResourceDefinition")) {
                    var name = root.at("metadata").at("name").requiredText();
                    client.apply(KubeResource.DEFINITIONS, "", name, withoutStatus(document), MANAGER);
                    count++;
                }
            }
        }
        if (count == 0) {
            throw problem(
                    "there is no CustomResourceDefinition in " + place, "name the folder that holds the YAML files");
        }
        waiting.until(Duration.ofSeconds(60), () -> missing(client).isEmpty());
        return count;
    }

    private static Tree withoutStatus(Tree document) {
        var entries = new LinkedHashMap<String, Tree>(((Tree.Mapping) document).entries());
        entries.remove("status");
        return Json.of(entries);
    }

    private static List<Path> files(Path place) {
        if (Files.isRegularFile(place)) {
            return List.of(place);
        }
        try (var files = Files.walk(place)) {
            return new ArrayList<>(files.filter(file -> file.toString().matches(".*\\.(yaml|yml|json)"))
                    .sorted()
                    .toList());
        } catch (IOException e) {
            throw problem("cannot read the folder " + place, "name one that is there with --crds");
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw problem("cannot read " + file + ": " + e.getMessage(), "check that it is readable");
        }
    }

    private static ProblemException problem(String message, String fix) {
        return new ProblemException(Problem.ofInput("bad-definitions", message, fix));
    }
}
