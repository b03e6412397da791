// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.link.LinkStep.LinkAction;
import io.fathom.tools.link.TrustPlanner.TrustExchange;
import io.fathom.wire.kube.tree.Json;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Carries out what was planned: what is new first, so that nobody is without a way meanwhile. Blocks the caller.
public final class Linker {
    private Linker() {}

    /// Links all clusters with each other. The answer is how many objects were written or removed.
    ///
    /// @param exchange whether clusters with different roots are to trust each other
    /// @throws ProblemException when they cannot be linked: then nothing was written
    static int linkAll(List<? extends ClusterAccess> clusters, TrustExchange exchange) {
        var reader = FactsReader.usual();
        var facts = clusters.stream().map(reader::read).toList();
        var trust = new TrustPlanner(reader.namespace(), exchange);
        for (var finding : ClusterReview.of(facts, trust)) {
            if (finding.isError()) {
                throw new ProblemException(
                        Problem.ofInput(finding.code(), finding.where() + ": " + finding.message(), finding.fix()));
            }
        }
        var steps = LinkPlanner.link(facts, LinkPlanner.Strays.LEFT);
        var roots = trust.link(facts);
        run(clusters, steps, roots);
        return Math.toIntExact(steps.stream().filter(LinkStep::writes).count()
                + roots.stream().filter(TrustStep::writes).count());
    }

    /// Links clusters that have a common root.
    public static int linkAll(List<? extends ClusterAccess> clusters) {
        return linkAll(clusters, TrustExchange.REFUSED);
    }

    /// Links clusters whatever roots they have.
    public static int linkWithTrust(List<? extends ClusterAccess> clusters) {
        return linkAll(clusters, TrustExchange.AGREED);
    }

    /// Gives a cluster the usual east-west gateway, unless it has one.
    public static void expose(ClusterAccess cluster) {
        var _ = Exposure.usual().expose(cluster);
    }

    /// Who is trusted first, and no more before nobody leads there any longer.
    static void run(List<? extends ClusterAccess> clusters, List<LinkStep> steps, List<TrustStep> roots) {
        Map<String, ClusterAccess> byContext =
                clusters.stream().collect(Collectors.toMap(ClusterAccess::context, cluster -> cluster));
        roots.stream().filter(step -> step.action() != LinkAction.REMOVED).forEach(step -> run(byContext, step));
        run(byContext, steps);
        roots.stream().filter(step -> step.action() == LinkAction.REMOVED).forEach(step -> run(byContext, step));
    }

    private static void run(Map<String, ClusterAccess> byContext, TrustStep step) {
        var cluster = byContext.get(step.context());
        if (cluster != null && step.writes()) {
            if (step.action() == LinkAction.REMOVED) {
                cluster.deleteConfigMap(step.shape().namespace(), step.shape().name());
            } else {
                ensureNamespace(cluster, step.shape().namespace());
                cluster.apply(step.shape().tree());
            }
        }
    }

    private static void run(Map<String, ClusterAccess> byContext, List<LinkStep> steps) {
        steps.stream()
                .sorted(Comparator.comparing(step -> step.action() == LinkAction.REMOVED))
                .forEach(step -> {
                    var cluster = byContext.get(step.context());
                    if (cluster != null) {
                        run(cluster, step);
                    }
                });
    }

    private static void run(ClusterAccess cluster, LinkStep step) {
        switch (step.action()) {
            case CREATED, CHANGED -> {
                ensureNamespace(cluster, step.shape().namespace());
                cluster.apply(step.shape().tree());
            }
            case REMOVED ->
                cluster.deleteGateway(step.shape().namespace(), step.shape().name());
            case UNCHANGED, WITHHELD, LEFT_ALONE -> {}
        }
    }

    /// Of the gateway of another cluster: the Gateway for it has to be in a namespace of that name.
    static void ensureNamespace(ClusterAccess cluster, String name) {
        if (cluster.object(ClusterAccess.LinkKind.NAMESPACE, "", name).isEmpty()) {
            cluster.apply(Json.of(Map.of("apiVersion", "v1", "kind", "Namespace", "metadata", Map.of("name", name))));
        }
    }
}
