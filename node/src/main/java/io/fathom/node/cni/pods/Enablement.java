// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.pods;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.manifest.LabelSelector.Operator;
import io.fathom.wire.kube.manifest.LabelSelector.Requirement;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.List;
import java.util.Map;

/// Which pods are selected: those for which both selectors of one entry match.
public record Enablement(List<Entry> entries) {
    private static final String MODE = "istio.io/dataplane-mode";
    private static final Map<String, String> AMBIENT = Map.of(MODE, "ambient");

    /// Pods that ask for it themselves, and those of namespaces that do unless they decline.
    public static final Enablement DEFAULT = new Enablement(List.of(
            new Entry(new LabelSelector(AMBIENT, List.of()), LabelSelector.EVERYTHING),
            new Entry(
                    new LabelSelector(Map.of(), List.of(new Requirement(MODE, Operator.NOT_IN, List.of("none")))),
                    new LabelSelector(AMBIENT, List.of()))));

    public record Entry(LabelSelector pods, LabelSelector namespaces) {
        boolean matches(Map<String, String> podLabels, Map<String, String> namespaceLabels) {
            return pods.matches(podLabels) && namespaces.matches(namespaceLabels);
        }
    }

    public Enablement {
        entries = List.copyOf(entries);
    }

    /// From `AMBIENT_ENABLEMENT_SELECTOR`: a list of entries with `podSelector` and `namespaceSelector`, as YAML or
    /// JSON. Empty text means the default.
    public static Enablement parse(String text) throws ProblemException {
        if (text.isBlank()) {
            return DEFAULT;
        }
        var documents = Documents.ofYaml("the enablement selector", text, Limits.DEFAULT);
        if (documents.size() != 1) {
            throw unreadable("it holds " + documents.size() + " documents");
        }
        try {
            return switch (documents.getFirst()) {
                case Document.Parsed parsed ->
                    new Enablement(Field.root(parsed.root()).items().stream()
                            .map(Enablement::entry)
                            .toList());
                case Document.Broken broken -> throw broken.cause();
            };
        } catch (MisreadException e) {
            throw unreadable(String.valueOf(e.getMessage()));
        }
    }

    private static Entry entry(Field entry) {
        return new Entry(LabelSelector.of(entry.at("podSelector")), LabelSelector.of(entry.at("namespaceSelector")));
    }

    boolean selects(Map<String, String> podLabels, Map<String, String> namespaceLabels) {
        return entries.stream().anyMatch(entry -> entry.matches(podLabels, namespaceLabels));
    }

    private static ProblemException unreadable(String reason) {
        return new ProblemException(Problem.ofInput(
                "bad-enablement-selector",
                "AMBIENT_ENABLEMENT_SELECTOR cannot be used: " + reason,
                "write a list of entries with podSelector and namespaceSelector, or leave it out"));
    }
}
