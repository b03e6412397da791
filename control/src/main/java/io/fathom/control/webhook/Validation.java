// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.policy.PolicyReview;
import io.fathom.control.envoy.Remarks;
import io.fathom.control.webhook.Verdict.Mistake;
import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Says whether an object may be stored: it must be readable by the readers that the control plane uses, and make
/// sense. What is said of its form is what is said of a manifest in a folder. Kinds of other projects pass. Pure; any
/// thread.
public final class Validation {
    private static final String DAMAGED = "policy-damaged";

    private final AmbientConfig config;
    private final ReaderConfig readerConfig;

    public Validation(AmbientConfig config) {
        this.config = config;
        // of any revision: whoever asks us has chosen what to ask
        this.readerConfig = ReaderConfig.of(config.clusterId(), "", config.systemNamespace());
    }

    public Verdict judge(Tree sent) {
        var object = Field.root(named(sent));
        var findings = new Findings();
        var reading = read(object.tree());
        problems(reading).stream()
                .filter(problem -> !problem.problem().code().equals(DAMAGED)) // what is refused is never in force
                .forEach(findings::add);
        try {
            check(object, reading, findings);
        } catch (MisreadException e) {
            findings.refuse(
                    new Mistake(e.field(), e.problem().message(), e.problem().fix()));
        }
        return findings.verdict(subject(object));
    }

    private void check(Field object, Reading reading, Findings findings) {
        var kind = object.at("kind").text();
        var group = object.at("apiVersion").text().replaceFirst("/.*", "");
        switch (group + "/" + kind) {
            case "security.istio.io/AuthorizationPolicy" ->
                flawless(reading)
                        .filter(AuthorizationPolicyManifest.class::isInstance)
                        .map(policy -> PolicyReview.warnings((AuthorizationPolicyManifest) policy, config))
                        .orElse(List.of())
                        .forEach(findings::warn);
            case "security.istio.io/PeerAuthentication" -> AuthenticationChecks.peer(object, findings);
            case "security.istio.io/RequestAuthentication" -> AuthenticationChecks.request(object, findings);
            case "networking.istio.io/ServiceEntry" -> EntryChecks.serviceEntry(object, findings);
            case "networking.istio.io/WorkloadEntry" -> EntryChecks.workloadEntry(object, findings);
            default -> {}
        }
        flawless(reading).map(Remarks::of).orElse(List.of()).forEach(findings::add);
    }

    /// A reader is for one thread, and cheap.
    private Reading read(Tree object) {
        var readings = new ManifestReader(readerConfig).read(object, _ -> Instant.EPOCH);
        return readings.size() == 1 ? readings.getFirst() : new Reading.Skipped("");
    }

    private static List<ManifestProblem> problems(Reading reading) {
        return switch (reading) {
            case Reading.Good good -> good.problems();
            case Reading.Skipped skipped -> skipped.problems();
            case Reading.Bad bad -> bad.problems();
        };
    }

    /// What was read of an object that has no mistakes.
    private static Optional<Manifest> flawless(Reading reading) {
        return reading instanceof Reading.Good good
                        && good.problems().stream().allMatch(problem -> problem.severity() == Severity.WARNING)
                ? Optional.of(good.manifest())
                : Optional.empty();
    }

    /// An object may come with the beginning of its name only; the rest follows when it is stored.
    private static Tree named(Tree object) {
        var metadata = Field.root(object).at("metadata");
        if (!(object instanceof Tree.Mapping whole)
                || !(metadata.tree() instanceof Tree.Mapping mapping)
                || metadata.at("name").isPresent()
                || !metadata.at("generateName").isText()) {
            return object;
        }
        var named = new LinkedHashMap<>(mapping.entries());
        named.put("name", Json.of(metadata.at("generateName").text() + "0"));
        var entries = new LinkedHashMap<>(whole.entries());
        entries.put("metadata", new Tree.Mapping(mapping.at(), Map.copyOf(named)));
        return new Tree.Mapping(whole.at(), entries);
    }

    private static String subject(Field object) {
        try {
            var metadata = object.at("metadata");
            var namespace = metadata.at("namespace").text();
            var name = metadata.at("name").text(metadata.at("generateName").text());
            return object.at("kind").text() + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
        } catch (MisreadException e) {
            return "the object";
        }
    }
}
