// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.clusterset;

import io.fathom.control.ambient.clusterset.ClusterSetService.ExportConflict;
import io.fathom.model.mesh.Ip;
import io.fathom.model.peering.ExportedService;
import io.fathom.model.peering.ExportedService.ExportedPort;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/// Makes one service of all that clusters export under a name, by the rules of KEP-1645: ports are put together, and
/// where clusters disagree the oldest export counts. Pure; the same in every cluster, in whatever order exports come.
final class ExportMerge {
    private final List<ExportClaim> claims;
    private final ExportClaim oldest;
    private final List<ExportConflict> conflicts = new ArrayList<>();

    private ExportMerge(List<ExportClaim> claims) {
        this.claims = claims.stream().sorted(ExportClaim.OLDEST_FIRST).toList();
        oldest = this.claims.getFirst();
    }

    /// @param claims of one service, at least one
    static ClusterSetService merge(List<ExportClaim> claims) {
        return new ExportMerge(claims).merged();
    }

    private ClusterSetService merged() {
        var ports = ports();
        var first = oldest.service();
        compare("TypeConflict", "type", service -> switch (service.kind()) {
            case CLUSTER_SET_IP -> "ClusterSetIP";
            case HEADLESS -> "Headless";
        });
        compare(
                "SessionAffinityConflict",
                "sessionAffinity",
                service -> service.affinity().isPresent() ? "ClientIP" : "None");
        compare(
                "SessionAffinityConfigConflict",
                "sessionAffinityConfig",
                // who does not want it at all does not disagree about how long
                service -> first.affinity().isEmpty()
                        ? ""
                        : service.affinity().or(first::affinity).orElseThrow() + "s");
        compare("InternalTrafficPolicyConflict", "internalTrafficPolicy", ExportedService::policy);
        compare(
                "TrafficDistributionConflict",
                "trafficDistribution",
                service -> service.distribution().isEmpty() ? "none" : service.distribution());
        compare("LabelsConflict", "exportedLabels", service -> service.labels().toString(), ExportedService::labels);
        compare(
                "AnnotationsConflict",
                "exportedAnnotations",
                service -> service.annotations().toString(),
                ExportedService::annotations);
        return new ClusterSetService(
                oldest.namespace(),
                oldest.name(),
                List.copyOf(
                        new TreeSet<>(claims.stream().map(ExportClaim::cluster).toList())),
                new ExportedService(
                        first.created(),
                        first.kind(),
                        ports,
                        families(),
                        first.affinity(),
                        first.policy(),
                        first.distribution(),
                        first.labels(),
                        first.annotations()),
                conflicts);
    }

    /// A port is the same by its name. Of two that have one number the older one counts as well, as one Service cannot
    /// have both.
    private List<ExportedPort> ports() {
        var byName = new LinkedHashMap<String, ExportedPort>();
        var numbers = new LinkedHashSet<String>();
        for (var claim : claims) {
            for (var port : claim.service().ports()) {
                if (!byName.containsKey(port.name()) && numbers.add(port.protocol() + port.number())) {
                    byName.put(port.name(), port);
                }
            }
        }
        var all = List.copyOf(byName.values());
        // who has fewer ports than all together disagrees, too: callers find others behind the rest
        var different = claims.stream()
                .filter(claim -> !new LinkedHashSet<>(claim.service().ports()).equals(new LinkedHashSet<>(all)))
                .toList();
        if (!different.isEmpty()) {
            conflicts.add(new ExportConflict(
                    "PortConflict",
                    "clusters have different ports: "
                            + String.join(
                                    "; ",
                                    claims.stream()
                                            .map(claim -> claim.cluster() + " "
                                                    + text(claim.service().ports()))
                                            .toList())
                            + "; the service has " + text(all)));
        }
        return all;
    }

    private static String text(List<ExportedPort> ports) {
        return ports.isEmpty()
                ? "none"
                : String.join(", ", ports.stream().map(ExportMerge::text).toList());
    }

    private static String text(ExportedPort port) {
        return (port.name().isEmpty() ? "" : port.name() + " ") + port.number() + "/" + port.protocol()
                + (port.appProtocol().isEmpty() ? "" : " " + port.appProtocol());
    }

    private List<Ip.Family> families() {
        var all = new LinkedHashSet<Ip.Family>();
        claims.forEach(claim -> all.addAll(claim.service().families()));
        return List.copyOf(all);
    }

    private void compare(String reason, String field, Function<ExportedService, String> text) {
        compare(reason, field, text, text);
    }

    private void compare(
            String reason, String field, Function<ExportedService, String> text, Function<ExportedService, ?> value) {
        var counting = value.apply(oldest.service());
        Optional<ExportClaim> other = claims.stream()
                .filter(claim -> !value.apply(claim.service()).equals(counting))
                .findFirst();
        other.ifPresent(claim -> conflicts.add(new ExportConflict(
                reason,
                "clusters have different values of " + field + ": " + oldest.cluster() + " "
                        + text.apply(oldest.service()) + ", " + claim.cluster() + " " + text.apply(claim.service())
                        + "; the oldest export, of " + oldest.cluster() + ", counts")));
    }
}
