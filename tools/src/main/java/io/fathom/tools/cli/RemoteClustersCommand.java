// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Command;
import io.fathom.tools.query.FathomdClient;
import io.fathom.tools.query.TextTable;
import java.util.List;
import java.util.function.Function;

/// Lists the clusters of the mesh as a control plane knows them.
final class RemoteClustersCommand {
    private RemoteClustersCommand() {}

    static Command command(Function<Arguments, FathomdClient> client) {
        return new Command(
                "remote-clusters",
                List.of(),
                "",
                "List the clusters of the mesh, how far each has been read, and how old what is known of it is.",
                List.of(),
                (arguments, out) -> {
                    var fathomd = client.apply(arguments);
                    var table = new TextTable("NAME", "SECRET", "STATUS", "NETWORK", "AGE", "FATHOMD");
                    fathomd.json("/debug/clusterz")
                            .forEach(cluster -> table.row(
                                    text(cluster, "id"),
                                    text(cluster, "secretName"),
                                    text(cluster, "syncStatus"),
                                    text(cluster, "network"),
                                    age(cluster),
                                    fathomd.base().getAuthority()));
                    table.print(out);
                    return 0;
                });
    }

    /// Of what is known; nothing to say about a cluster that is followed.
    private static String age(JsonNode cluster) {
        var seconds = cluster.path("ageSeconds").asLong();
        return seconds == 0 ? "" : seconds + "s";
    }

    private static String text(JsonNode cluster, String field) {
        return cluster.path(field).asText();
    }
}
