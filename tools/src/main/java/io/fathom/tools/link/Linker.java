// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.link.LinkStep.LinkAction;
import io.fathom.wire.kube.tree.Json;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Carries out what was planned: what is new first, so that nobody is without a way meanwhile. Blocks the caller.
public final class Linker {
    private Linker() {}

    /// Links all clusters with each other. The answer is how many Gateways were written or removed.
    ///
    /// @throws ProblemException when they cannot be linked: then nothing was written
    public static int linkAll(List<? extends ClusterAccess> clusters) {
        var reader = FactsReader.usual();
        var facts = clusters.stream().map(reader::read).toList();
        for (var finding : ClusterReview.of(facts)) {
            if (finding.isError()) {
                throw new ProblemException(
                        Problem.ofInput(finding.code(), finding.where() + ": " + finding.message(), finding.fix()));
            }
        }
        var steps = LinkPlanner.link(facts, LinkPlanner.Strays.LEFT);
        run(clusters, steps);
        return Math.toIntExact(steps.stream().filter(LinkStep::writes).count());
    }

    /// Gives a cluster the usual east-west gateway, unless it has one.
    public static void expose(ClusterAccess cluster) {
        var _ = Exposure.usual().expose(cluster);
    }

    static void run(List<? extends ClusterAccess> clusters, List<LinkStep> steps) {
        Map<String, ClusterAccess> byContext =
                clusters.stream().collect(Collectors.toMap(ClusterAccess::context, cluster -> cluster));
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
