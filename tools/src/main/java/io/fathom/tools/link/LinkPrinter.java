// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustBundle;
import io.fathom.model.trust.TrustRoot;
import io.fathom.tools.link.LinkCheck.CheckReport;
import io.fathom.tools.link.LinkCheck.LinkReport;
import io.fathom.tools.link.LinkStep.LinkAction;
import io.fathom.tools.query.TextTable;
import io.fathom.wire.pki.TrustRoots;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Prints what was done or found, for people or as JSON.
record LinkPrinter(PrintWriter out, LinkFormat format) {
    enum LinkFormat {
        TABLE,
        JSON
    }

    void line(String text) {
        if (format == LinkFormat.TABLE) {
            out.println(text);
        }
    }

    void gateways(List<ClusterFacts> clusters, Set<String> made) {
        if (format == LinkFormat.JSON) {
            var list = array();
            clusters.forEach(cluster -> cluster.gateways()
                    .forEach(gateway -> list.addObject()
                            .put("cluster", cluster.context())
                            .put("gateway", gateway.path())
                            .put("address", addresses(gateway.addresses()))
                            .put("created", made.contains(cluster.context()))));
            json("gateways", list);
            return;
        }
        var table = new TextTable("CLUSTER", "NETWORK", "GATEWAY", "ADDRESS", "");
        clusters.forEach(cluster -> cluster.gateways()
                .forEach(gateway -> table.row(
                        cluster.context(),
                        cluster.network(),
                        gateway.path(),
                        gateway.addresses().isEmpty() ? "none yet" : addresses(gateway.addresses()),
                        made.contains(cluster.context()) ? "created" : "was there")));
        table.print(out);
    }

    /// @param linked clusters whose roots are told, so that one can compare them
    /// @param trust what becomes of roots
    void steps(
            List<LinkStep> steps,
            List<TrustStep> trust,
            List<ClusterFacts> linked,
            List<LinkFinding> findings,
            boolean rehearsal) {
        if (format == LinkFormat.JSON) {
            var list = array();
            steps.forEach(step -> list.addObject()
                    .put("cluster", step.context())
                    .put("action", step.action().title())
                    .put("gateway", step.shape().path())
                    .put("for", step.shape().cluster())
                    .put("address", addresses(step.shape().addresses()))
                    .put("why", step.why()));
            var whole = object();
            whole.put("dryRun", rehearsal);
            whole.set("steps", list);
            whole.set("trust", trust(array(), trust));
            whole.set("findings", findings(array(), findings));
            out.println(whole.toPrettyString());
            return;
        }
        var table = new TextTable("IN", "FOR", "GATEWAY", "ADDRESS", rehearsal ? "WOULD BE" : "IS", "");
        steps.forEach(step -> table.row(
                step.context(),
                step.shape().cluster(),
                step.shape().path(),
                addresses(step.shape().addresses()),
                step.action().title(),
                step.why()));
        if (!table.isEmpty()) {
            table.print(out);
        }
        trust(trust, rehearsal);
        findings(findings);
        var written = steps.stream().filter(LinkStep::writes).count()
                + trust.stream().filter(TrustStep::writes).count();
        if (written == 0) {
            out.println("Nothing had to be written.");
        }
        if (steps.stream().anyMatch(step -> step.action() == LinkAction.LEFT_ALONE)) {
            out.println("Those left alone go with --prune, or with multicluster unlink --cluster ID.");
        }
        if (!linked.isEmpty()) {
            roots(linked);
        }
    }

    /// By what the clusters believe each other.
    private void roots(List<ClusterFacts> clusters) {
        var all = new ArrayList<String>();
        clusters.forEach(cluster -> cluster.roots().forEach(root -> {
            var text = RootText.of(List.of(root));
            if (!all.contains(text)) {
                all.add(text);
            }
        }));
        if (!all.isEmpty()) {
            out.println("They believe each other by " + String.join(" and ", all) + ".");
        }
    }

    private void trust(List<TrustStep> steps, boolean rehearsal) {
        var table = new TextTable(
                "IN", "TRUSTS", "FOR TRUST DOMAIN", "BY ROOTS (SHA-256)", rehearsal ? "WOULD BE" : "IS", "");
        steps.forEach(step -> {
            var bundle = step.shape().trust().bundle();
            table.row(
                    step.context(),
                    step.shape().trust().cluster(),
                    bundle.trustDomain(),
                    fingerprints(bundle.roots()),
                    step.action().title(),
                    step.why());
        });
        if (!table.isEmpty()) {
            table.print(out);
        }
    }

    private static ArrayNode trust(ArrayNode list, List<TrustStep> steps) {
        steps.forEach(step -> {
            var bundle = step.shape().trust().bundle();
            list.addObject()
                    .put("cluster", step.context())
                    .put("action", step.action().title())
                    .put("object", step.shape().path())
                    .put("for", step.shape().trust().cluster())
                    .put("trustDomain", bundle.trustDomain())
                    .put("fingerprints", fingerprints(bundle.roots()))
                    .put("why", step.why());
        });
        return list;
    }

    private static String fingerprints(List<TrustRoot> roots) {
        return String.join(",", roots.stream().map(TrustRoot::fingerprint).toList());
    }

    /// Whom each cluster trusts, itself first.
    void trust(List<ClusterFacts> clusters) {
        var list = array();
        var table = new TextTable("IN", "TRUSTS", "FOR TRUST DOMAIN", "BY ROOTS (SHA-256)", "WRITTEN BY", "");
        for (var cluster : clusters) {
            if (!cluster.roots().isEmpty()) {
                row(
                        list,
                        table,
                        cluster,
                        cluster.id(),
                        TrustBundle.of(cluster.trustDomain(), TrustRoots.of(cluster.roots())),
                        "itself",
                        "");
            }
            for (var shape : cluster.bundles()) {
                row(
                        list,
                        table,
                        cluster,
                        shape.trust().cluster(),
                        shape.trust().bundle(),
                        shape.owner(),
                        shape.trust().consent() == TrustConsent.SHARED_DOMAIN ? "may share the domain" : "");
            }
        }
        if (format == LinkFormat.JSON) {
            json("trust", list);
        } else {
            table.print(out);
        }
    }

    private static void row(
            ArrayNode list,
            TextTable table,
            ClusterFacts here,
            String cluster,
            TrustBundle bundle,
            String owner,
            String remark) {
        list.addObject()
                .put("cluster", here.context())
                .put("trusts", cluster)
                .put("trustDomain", bundle.trustDomain())
                .put("fingerprints", fingerprints(bundle.roots()))
                .put("writtenBy", owner);
        table.row(here.context(), cluster, bundle.trustDomain(), fingerprints(bundle.roots()), owner, remark);
    }

    void findings(List<LinkFinding> findings) {
        if (format == LinkFormat.JSON) {
            json("findings", findings(array(), findings));
            return;
        }
        for (var finding : findings) {
            out.println(finding.severity() + " [" + finding.code() + "] " + finding.where() + ": " + finding.message());
            out.println("  fix: " + finding.fix());
        }
    }

    void report(CheckReport report, List<ClusterFacts> clusters) {
        if (format == LinkFormat.JSON) {
            var whole = object();
            whole.put("ok", report.isGood());
            var links = whole.putArray("links");
            report.links()
                    .forEach(link -> links.addObject()
                            .put("from", link.from())
                            .put("to", link.to())
                            .put("verdict", link.verdict())
                            .put("address", link.address())
                            .put("identity", link.identity()));
            whole.set("findings", findings(array(), report.findings()));
            out.println(whole.toPrettyString());
            return;
        }
        matrix(report.links(), clusters);
        out.println();
        var table = new TextTable("GATEWAY OF", "SEEN FROM", "ADDRESS", "ANSWERED BY");
        report.links()
                .forEach(link -> table.row(
                        link.to(),
                        link.from().equals(link.to()) ? "here" : link.from(),
                        link.address().isEmpty() ? "none" : link.address(),
                        link.identity().isEmpty() ? "nobody" : link.identity()));
        table.print(out);
        if (!report.findings().isEmpty()) {
            out.println();
        }
        findings(report.findings());
    }

    private void matrix(List<LinkReport> links, List<ClusterFacts> clusters) {
        if (links.stream().allMatch(link -> link.from().equals(link.to()))) {
            return; // there are no links yet
        }
        var headings = new ArrayList<String>();
        headings.add("FROM / TO");
        clusters.forEach(cluster -> headings.add(cluster.context()));
        var table = new TextTable(headings.toArray(String[]::new));
        for (var from : clusters) {
            var row = new ArrayList<String>();
            row.add(from.context());
            for (var to : clusters) {
                row.add(links.stream()
                        .filter(link ->
                                link.from().equals(from.context()) && link.to().equals(to.context()))
                        .map(LinkReport::verdict)
                        .findFirst()
                        .orElse("-"));
            }
            table.row(row.toArray(String[]::new));
        }
        table.print(out);
    }

    private static ArrayNode findings(ArrayNode list, List<LinkFinding> findings) {
        findings.forEach(finding -> list.addObject()
                .put("severity", finding.severity().name())
                .put("code", finding.code())
                .put("from", finding.from())
                .put("to", finding.to())
                .put("message", finding.message())
                .put("fix", finding.fix()));
        return list;
    }

    private void json(String name, ArrayNode list) {
        var whole = object();
        whole.set(name, list);
        out.println(whole.toPrettyString());
    }

    private static String addresses(List<LinkAddress> addresses) {
        return String.join(",", addresses.stream().map(LinkAddress::value).toList());
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }
}
