// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MergePatch;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What to install: the charts that are wanted and the values of each. Pure.
///
/// Users write it as upstream's `IstioOperator` does: `hub`, `tag`, `revision`, `meshConfig`,
/// `components.NAME.enabled` and `values`, of which `global` is for all charts, `pilot`, `cni` and `ztunnel` for one
/// each. What none of them knows is refused; what a chart does not know its schema refuses. What only upstream knows is
/// left out, with a remark ([UpstreamValues]).
///
/// @param values by chart; a chart that is not wanted has none
/// @param gateways each a release of the gateway chart
/// @param remarks what was left out, and why
record MeshPlan(
        String namespace,
        String revision,
        Map<Chart, Tree> values,
        List<GatewayRelease> gateways,
        List<String> remarks) {
    private static final String COMPLIANCE = "COMPLIANCE_POLICY";
    private static final Tree EMPTY = Json.of(Map.of());
    private static final Set<String> TOP =
            Set.of("profile", "hub", "tag", "revision", "namespace", "meshConfig", "components", "values");
    private static final Set<String> VALUES =
            Set.of("global", "pilot", "cni", "ztunnel", "meshConfig", "revision", "defaultRevision", "profile");

    MeshPlan {
        values = Map.copyOf(values);
        gateways = List.copyOf(gateways);
        remarks = List.copyOf(remarks);
    }

    /// @param spec of an `IstioOperator`, with everything from files and flags merged into it
    /// @param namespace of the mesh, unless the spec names one
    /// @throws ProblemException that names the field and what to write instead
    static MeshPlan of(Tree spec, String namespace) {
        try {
            return read(spec, namespace);
        } catch (MisreadException e) {
            throw new ProblemException(Problem.ofInput(
                    "bad-settings",
                    "%s: %s".formatted(e.field(), e.problem().message()),
                    e.problem().fix()));
        }
    }

    private static MeshPlan read(Tree written, String namespace) {
        var translated = UpstreamValues.of(written);
        var tree = translated.spec();
        var spec = Field.root(tree);
        known(spec, TOP);
        var values = spec.at("values");
        known(values, VALUES);
        var profile = spec.at("profile").text(values.at("profile").text("ambient"));
        if (!profile.equals("ambient")) {
            throw spec.at("profile")
                    .wrong(
                            "unknown-profile",
                            "there is no profile " + profile,
                            "leave it out, or write ambient, the only one");
        }
        var revision = spec.at("revision").text(values.at("revision").text());
        var plan = new EnumMap<Chart, Tree>(Chart.class);
        for (var chart : wanted(spec.at("components"))) {
            var own = chart.section().isEmpty() ? EMPTY : at(tree, "values", chart.section());
            plan.put(chart, MergePatch.apply(own, shared(chart, tree, revision)));
        }
        var home = spec.at("namespace").text(namespace);
        var gateways = UpstreamGateways.of(written, home);
        var releases = gateways.releases().stream()
                .map(gateway -> new GatewayRelease(
                        gateway.name(), gateway.namespace(), gateway(gateway.values(), tree, revision, home)))
                .toList();
        var remarks = Stream.concat(gateways.remarks().stream(), translated.remarks().stream())
                .toList();
        return new MeshPlan(home, revision, plan, releases, remarks);
    }

    /// A gateway may be in another namespace than its control plane.
    private static Tree gateway(Tree own, Tree spec, String revision, String home) {
        var shared = MergePatch.apply(
                Json.of(Map.of("global", Map.of("istioNamespace", home))), shared(Chart.GATEWAY, spec, revision));
        return MergePatch.apply(compliance(spec), MergePatch.apply(own, shared));
    }

    /// What the control plane's TLS is kept to, its gateways have to keep to as well, or they do not reach it.
    private static Tree compliance(Tree spec) {
        var policy = Field.root(spec).at("values").at("pilot").at("env").at(COMPLIANCE);
        return policy.isPresent() ? Json.of(Map.of("env", Map.of(COMPLIANCE, policy.text()))) : EMPTY;
    }

    /// What a chart gets besides the values that are for it alone.
    private static Tree shared(Chart chart, Tree spec, String revision) {
        var entries = new LinkedHashMap<String, Object>();
        entries.put("global", global(spec));
        entries.put("revision", Chart.isDefault(revision) ? "" : revision);
        if (chart == Chart.CONTROL_PLANE) {
            entries.put("meshConfig", MergePatch.apply(at(spec, "values", "meshConfig"), at(spec, "meshConfig")));
        }
        var ofNone = Field.root(spec).at("values").at("defaultRevision");
        if (chart == Chart.BASE && ofNone.isPresent()) {
            entries.put("defaultRevision", ofNone.text());
        }
        return Json.of(entries);
    }

    /// Upstream has short names for some of them.
    private static Tree global(Tree spec) {
        var entries = new LinkedHashMap<String, Tree>(entries(at(spec, "values", "global")));
        entries(spec).forEach((name, value) -> {
            if (name.equals("hub") || name.equals("tag")) {
                entries.put(name, value);
            }
        });
        return Json.of(entries);
    }

    private static List<Chart> wanted(Field components) {
        known(components, Chart.PARTS.stream().map(Chart::component).collect(Collectors.toSet()));
        return Chart.PARTS.stream()
                .filter(chart -> {
                    var component = components.at(chart.component());
                    known(component, Set.of("enabled"));
                    return component.at("enabled").flag(Field.Absent.MEANS_TRUE);
                })
                .toList();
    }

    private static void known(Field field, Set<String> names) {
        if (field.isPresent()) {
            field.entries().forEach((name, entry) -> {
                if (!names.contains(name)) {
                    throw entry.wrong(
                            "unknown-setting",
                            "is not known",
                            "give one of "
                                    + String.join(", ", names.stream().sorted().toList()));
                }
            });
        }
    }

    private static Tree at(Tree tree, String... steps) {
        var here = tree;
        for (var step : steps) {
            here = entries(here).getOrDefault(step, EMPTY);
        }
        return here;
    }

    static Map<String, Tree> entries(Tree tree) {
        return tree instanceof Tree.Mapping mapping ? mapping.entries() : Map.of();
    }
}
