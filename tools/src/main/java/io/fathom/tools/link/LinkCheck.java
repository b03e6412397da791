// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.base.lang.Problem;
import io.fathom.model.mesh.Identity;
import io.fathom.tools.link.GatewayProbe.ProbeResult;
import io.fathom.tools.link.LinkFinding.FindingSeverity;
import io.fathom.wire.pki.ChainVerifier;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Judges each link from both ends: what the Gateway there says, who answers where it leads, and what the control plane
/// there says of the other. Pure but for the probe that it is given.
///
/// @param views what each control plane says of the clusters, by context; none for those that cannot be asked
/// @param probe shakes hands with HOST:PORT
record LinkCheck(
        List<ClusterFacts> clusters, Map<String, JsonNode> views, Function<String, ProbeResult> probe, Instant now) {
    /// As control planes say that a Gateway joins a cluster, whoever tells what that has.
    private static final Set<String> BY_GATEWAY = Set.of("Gateway", "Fleet");

    /// One direction between two clusters.
    ///
    /// @param verdict `ok`, or in a word or two what is wrong
    /// @param address where the Gateway leads; empty without one
    /// @param identity of who answers there; empty if nobody does
    record LinkReport(String from, String to, String verdict, String address, String identity) {}

    /// All that was found.
    record CheckReport(List<LinkReport> links, List<LinkFinding> findings) {
        boolean isGood() {
            return findings.stream().noneMatch(LinkFinding::isError);
        }
    }

    CheckReport run() {
        var findings = new ArrayList<>(ClusterReview.of(clusters, trust()));
        var links = new ArrayList<LinkReport>();
        for (var from : clusters) {
            for (var to : clusters) {
                if (!from.equals(to)) {
                    links.add(pair(from, to, findings));
                }
            }
        }
        return new CheckReport(links, findings);
    }

    /// Before there are any links: who answers at the gateways themselves.
    CheckReport precheck() {
        var findings = new ArrayList<>(ClusterReview.of(clusters, trust()));
        var links = new ArrayList<LinkReport>();
        for (var cluster : clusters) {
            for (var shape : LinkPlanner.shapes(cluster)) {
                links.add(visit(cluster, cluster, shape, findings));
            }
        }
        return new CheckReport(links, findings);
    }

    private static TrustPlanner trust() {
        return new TrustPlanner(FactsReader.usual().namespace(), TrustPlanner.TrustExchange.REFUSED);
    }

    private LinkReport pair(ClusterFacts from, ClusterFacts to, List<LinkFinding> findings) {
        var peers = from.peers().stream()
                .filter(peer -> !to.id().isEmpty() && peer.cluster().equals(to.id()))
                .toList();
        if (peers.isEmpty() && isRead(from, to) && !to.gateways().isEmpty()) {
            view(from, to, findings);
            return visit(from, to, LinkPlanner.shapes(to).getFirst(), findings);
        }
        if (peers.isEmpty()) {
            findings.add(LinkFinding.between(
                    "not-linked",
                    from,
                    to,
                    from.context() + " has no Gateway for " + to.context(),
                    "run fathomctl multicluster link for both"));
            return new LinkReport(from.context(), to.context(), "not linked", "", "");
        }
        var before = findings.size();
        ambiguous(from, to, peers, findings);
        peers.forEach(peer -> compare(from, to, peer, findings));
        var report = visit(from, to, peers.getFirst(), findings);
        view(from, to, findings);
        var errors = findings.subList(before, findings.size()).stream()
                .filter(LinkFinding::isError)
                .toList();
        return errors.isEmpty()
                ? report
                : new LinkReport(
                        report.from(), report.to(), errors.getLast().code(), report.address(), report.identity());
    }

    /// Whether the control plane reads the objects of the other cluster itself: then it needs no Gateway for it.
    private boolean isRead(ClusterFacts from, ClusterFacts to) {
        var rows = Optional.ofNullable(views.get(from.context())).stream().flatMap(JsonNode::valueStream);
        return rows.anyMatch(row -> row.path("id").asText().equals(to.id())
                && !BY_GATEWAY.contains(row.path("secretName").asText()));
    }

    private static void ambiguous(
            ClusterFacts from, ClusterFacts to, List<PeerShape> peers, List<LinkFinding> findings) {
        if (peers.size() > Math.max(1, to.gateways().size())) {
            findings.add(LinkFinding.between(
                    "duplicate-peers",
                    from,
                    to,
                    from.context() + " has " + peers.size() + " Gateways for " + to.context() + ", which has "
                            + to.gateways().size() + ": "
                            + String.join(
                                    ", ", peers.stream().map(PeerShape::path).toList()),
                    "remove those that are out of date"));
        }
    }

    /// A Gateway of somebody else may be spelled otherwise, so only where it leads is compared.
    private static void compare(ClusterFacts from, ClusterFacts to, PeerShape peer, List<LinkFinding> findings) {
        var wanted = LinkPlanner.shapes(to);
        if (peer.isOwned()) {
            wanted.stream()
                    .filter(shape -> shape.path().equals(peer.path()) && !shape.equals(peer))
                    .findFirst()
                    .ifPresent(shape -> findings.add(LinkFinding.between(
                            "link-out-of-date",
                            from,
                            to,
                            "Gateway " + peer.path() + " of " + from.context() + " is out of date: "
                                    + LinkPlanner.difference(peer, shape),
                            "run fathomctl multicluster link again")));
        } else if (wanted.stream()
                .noneMatch(shape ->
                        !shape.addresses().isEmpty() && shape.addresses().containsAll(peer.addresses()))) {
            findings.add(LinkFinding.between(
                    "link-leads-elsewhere",
                    from,
                    to,
                    "Gateway " + peer.path() + " of " + from.context() + " leads to " + peer.addresses() + ", and "
                            + to.context() + " has "
                            + wanted.stream().map(PeerShape::addresses).toList(),
                    "correct its address, or remove it and run fathomctl multicluster link"));
        }
        if (peer.network().equals(from.network()) && !peer.network().equals(to.network())) {
            findings.add(LinkFinding.between(
                    "link-to-own-network",
                    from,
                    to,
                    "Gateway " + peer.path() + " of " + from.context() + " says it leads to " + peer.network()
                            + ", the network of " + from.context() + " itself, and " + to.context() + " is on "
                            + to.network(),
                    "correct its label " + PeerShape.NETWORK + ", or run fathomctl multicluster link again"));
        }
    }

    private LinkReport visit(ClusterFacts from, ClusterFacts to, PeerShape peer, List<LinkFinding> findings) {
        if (peer.addresses().isEmpty()) {
            return new LinkReport(from.context(), to.context(), "no address", "", "");
        }
        var place = peer.addresses().getFirst().value() + ":" + peer.hbonePort().orElse(15008);
        return switch (probe.apply(place)) {
            case ProbeResult.Silent(var reason) -> {
                findings.add(LinkFinding.between(
                        "gateway-unreachable",
                        from,
                        to,
                        "the gateway of " + to.context() + " at " + place + " does not answer from here: " + reason,
                        "see whether its pod is ready and its port open: allow TCP "
                                + peer.hbonePort().orElse(15008)
                                + " from the other clusters, and from here for this check"));
                yield new LinkReport(from.context(), to.context(), "unreachable", place, "");
            }
            case ProbeResult.Answered answered -> {
                believe(from, to, peer, place, answered, findings);
                yield new LinkReport(from.context(), to.context(), "ok", place, names(answered.identities()));
            }
        };
    }

    private void believe(
            ClusterFacts from,
            ClusterFacts to,
            PeerShape peer,
            String place,
            ProbeResult.Answered answered,
            List<LinkFinding> findings) {
        var wanted = new Identity(
                peer.annotations().getOrDefault(PeerShape.TRUST_DOMAIN, from.trustDomain()),
                peer.namespace(),
                peer.account());
        if (!answered.identities().contains(wanted)) {
            findings.add(LinkFinding.between(
                    "gateway-is-somebody-else",
                    from,
                    to,
                    "at " + place + " answers " + names(answered.identities()) + ", and " + from.context() + " expects "
                            + wanted.uri(),
                    "the Gateway for " + to.context() + " has to be in the namespace of its gateway, with annotation "
                            + PeerShape.ACCOUNT + ": its account; or the address leads to something else"));
        }
        if (!from.roots().isEmpty()) {
            believed(from, to, answered.chain())
                    .ifPresent(problem -> findings.add(LinkFinding.between(
                            problem.code().startsWith("certificate-") ? "clock-or-certificate" : "gateway-not-trusted",
                            from,
                            to,
                            "what answers at " + place + " is not believed by " + from.context() + ": "
                                    + problem.message() + ". It trusts "
                                    + RootText.of(from.trust().roots()),
                            problem.code().startsWith("certificate-")
                                    ? "compare the clocks of both clusters, and see why the certificate is not renewed"
                                    : problem.fix())));
        }
        var start = answered.chain().getFirst().getNotBefore().toInstant();
        if (start.isAfter(now)) {
            findings.add(new LinkFinding(
                    FindingSeverity.WARNING,
                    "clock",
                    from.context(),
                    to.context(),
                    "the certificate at " + place + " begins at " + start + ", and here it is " + now,
                    "set the clocks of " + to.context() + " and of this machine"));
        }
    }

    /// By itself each cluster believes its own gateway; another one's by the roots of its trust domain.
    private Optional<Problem> believed(ClusterFacts from, ClusterFacts to, List<X509Certificate> chain) {
        return from.equals(to)
                ? ChainVerifier.problem(chain, from.roots(), now)
                : from.trust().objection(chain, now);
    }

    private static String names(List<Identity> identities) {
        return identities.isEmpty()
                ? "nobody of a mesh"
                : String.join(", ", identities.stream().map(Identity::uri).toList());
    }

    /// What the control plane of one says of the other.
    private void view(ClusterFacts from, ClusterFacts to, List<LinkFinding> findings) {
        var said = Optional.ofNullable(views.get(from.context()));
        if (said.isEmpty()) {
            return;
        }
        for (var row : said.get()) {
            if (row.path("id").asText().equals(to.id())) {
                if (row.has("code")) {
                    findings.add(LinkFinding.between(
                            row.path("code").asText(),
                            from,
                            to,
                            row.path("message").asText(),
                            row.path("fix").asText()));
                } else if (!row.path("syncStatus").asText().equals("synced")) {
                    findings.add(LinkFinding.between(
                            "peer-" + row.path("syncStatus").asText(),
                            from,
                            to,
                            "the control plane of " + from.context() + " has not heard all of " + to.context() + " yet",
                            "wait a moment and check again"));
                }
                return;
            }
        }
        findings.add(LinkFinding.between(
                "peer-unknown",
                from,
                to,
                "the control plane of " + from.context() + " does not know " + to.context() + " yet",
                "wait a moment and check again; see fathomctl get problems there"));
    }
}
