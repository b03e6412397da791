// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.tools.query.TextTable;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.stream.StreamSupport;

/// What a management server answers, for people.
final class FleetTables {
    private FleetTables() {}

    static void status(JsonNode status, PrintWriter out) {
        var table = new TextTable("CLUSTER", "STANDING", "CONNECTED", "NETWORK", "GATEWAY", "STATE");
        status.path("clusters")
                .forEach(cluster -> table.row(
                        cluster.path("name").asText(),
                        cluster.path("standing").asText().toLowerCase(Locale.ROOT),
                        cluster.path("connected").asBoolean() ? "yes" : "no",
                        texts(cluster.path("networks")),
                        address(cluster.path("gateway")),
                        cluster.path("gateway").path("state").asText().toLowerCase(Locale.ROOT)));
        if (table.isEmpty()) {
            out.println("no cluster has joined: fathomctl fleet token CLUSTER");
        } else {
            table.print(out);
        }
    }

    static void clusters(JsonNode clusters, PrintWriter out) {
        var table = new TextTable("CLUSTER", "STANDING", "SINCE", "AGENT", "SERVICES", "TRUST DOMAINS");
        clusters.forEach(cluster -> table.row(
                cluster.path("name").asText(),
                cluster.path("standing").asText().toLowerCase(Locale.ROOT),
                cluster.path("connected").asBoolean() ? cluster.path("since").asText() : "not connected",
                cluster.path("software").asText(),
                cluster.path("exports").asText("0"),
                texts(cluster.path("trustDomains"))));
        table.print(out);
    }

    static void services(JsonNode services, PrintWriter out) {
        var table = new TextTable("NAMESPACE", "SERVICE", "CLUSTER", "READY");
        for (var service : services) {
            var path = service.path("service").asText();
            var slash = path.indexOf('/');
            service.path("clusters")
                    .forEach(cluster -> table.row(
                            path.substring(0, slash),
                            path.substring(slash + 1),
                            cluster.path("name").asText(),
                            cluster.path("ready").asText("0")));
        }
        if (table.isEmpty()) {
            out.println("no cluster exports a service: the label istio.io/global=\"true\" of a Service does");
        } else {
            table.print(out);
        }
    }

    static void policy(JsonNode policy, PrintWriter out) {
        var problem = policy.path("problem").asText();
        if (!problem.isEmpty()) {
            out.println("The file has a mistake, so what it said before holds: " + problem);
        }
        var table = new TextTable("CLUSTERS", "EXPORTS", "IMPORTS");
        policy.path("rules")
                .forEach(rule -> table.row(
                        namesOrNone(rule.path("clusters")),
                        namesOrNone(rule.path("exports")),
                        namesOrNone(rule.path("imports"))));
        if (table.isEmpty()) {
            out.println("every cluster may export and import all namespaces: fathom-fleet --service-policy FILE");
        } else {
            table.print(out);
        }
    }

    private static String namesOrNone(JsonNode names) {
        return names.isEmpty() ? "none" : texts(names);
    }

    private static String texts(JsonNode list) {
        return String.join(
                ",",
                StreamSupport.stream(list.spliterator(), false)
                        .map(JsonNode::asText)
                        .toList());
    }

    private static String address(JsonNode gateway) {
        var first = gateway.path("addresses").path(0);
        var host = first.path("host").asText();
        return host.isEmpty()
                ? ""
                : (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":"
                        + first.path("hbonePort").asText();
    }
}
