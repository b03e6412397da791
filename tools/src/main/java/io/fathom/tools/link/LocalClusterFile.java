// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What a cluster of `bin/up` says of itself to tools, in a file of its folder.
///
/// @param id of the cluster
/// @param folders that its control plane reads, the last one that has an object counts
/// @param applied where tools put objects; one of the folders
/// @param http port of its control plane, on loopback
/// @param controlPlane where its gateways find that, as HOST:PORT
/// @param roots the file with the roots that its proxies trust
public record LocalClusterFile(String id, List<Path> folders, Path applied, int http, String controlPlane, Path roots) {
    public static final String NAME = "cluster.json";
    private static final ObjectMapper JSON = new ObjectMapper();

    public LocalClusterFile {
        folders = List.copyOf(folders);
    }

    public void write(Path folder) {
        var json = JSON.createObjectNode()
                .put("id", id)
                .put("applied", applied.toString())
                .put("http", http)
                .put("controlPlane", controlPlane)
                .put("roots", roots.toString());
        var list = json.putArray("folders");
        folders.forEach(one -> list.add(one.toString()));
        try {
            Files.writeString(folder.resolve(NAME), json.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What the cluster in that folder says.
    ///
    /// @throws ProblemException when it cannot be read
    public static LocalClusterFile read(Path folder) {
        try {
            var json = JSON.readTree(Files.readString(folder.resolve(NAME)));
            var folders = new ArrayList<Path>();
            json.path("folders").forEach(one -> folders.add(Path.of(one.asText())));
            return new LocalClusterFile(
                    json.path("id").asText(),
                    folders,
                    Path.of(json.path("applied").asText()),
                    json.path("http").asInt(),
                    json.path("controlPlane").asText(),
                    Path.of(json.path("roots").asText()));
        } catch (IOException e) {
            throw new ProblemException(Problem.ofInput(
                    "no-local-cluster",
                    "there is no cluster of bin/up in " + folder,
                    "see bin/up status for those that run"));
        }
    }
}
