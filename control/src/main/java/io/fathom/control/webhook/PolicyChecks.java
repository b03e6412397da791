package io.fathom.control.webhook;

import io.fathom.control.ambient.AmbientConfig;
import io.fathom.control.ambient.PolicyReview;
import io.fathom.wire.kube.AuthorizationPolicyManifest;
import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.regex.Pattern;

/// What an AuthorizationPolicy needs beyond its form, and what its author should know.
final class PolicyChecks {
    private static final Pattern CONDITION = Pattern.compile("source\\.(ip|namespace|principal|serviceAccount)"
            + "|remote\\.ip|destination\\.(ip|port)|connection\\.sni"
            + "|request\\.auth\\.(principal|audiences|presenter|claims\\[.+])|request\\.headers\\[.+]"
            + "|experimental\\.envoy\\.filters\\..+");

    private PolicyChecks() {}

    static void check(Field object, Findings findings) {
        var spec = object.at("spec");
        findings.on(spec, _ -> attachment(spec, findings));
        findings.on(spec, _ -> action(spec, findings));
        findings.onEach(spec.at("rules"), rule -> {
            clauses(rule.at("from"), "source", findings);
            clauses(rule.at("to"), "operation", findings);
            findings.onEach(rule.at("when"), when -> condition(when, findings));
        });
    }

    /// What can only be said of a policy without mistakes of form.
    static void check(AuthorizationPolicyManifest policy, Field object, AmbientConfig config, Findings findings) {
        var rules = object.at("spec").at("rules").items();
        for (var i = 0; i < policy.rules().size() && i < rules.size(); i++) {
            for (var value : PolicyReview.unreadable(policy.rules().get(i))) {
                findings.refuse(
                        rules.get(i),
                        value + " cannot be read",
                        "write ports as numbers up to 65535, addresses as 10.0.0.1 or 10.0.0.0/24");
            }
        }
        PolicyReview.warnings(policy, config).forEach(findings::warn);
        if (policy.rules().isEmpty() && policy.action() == AuthorizationPolicyManifest.Action.DENY) {
            findings.warn("a DENY policy without rules has no effect; to deny everything write rules: [{}]");
        }
    }

    private static void attachment(Field spec, Findings findings) {
        var targeted = spec.at("targetRef").isPresent() || spec.at("targetRefs").isPresent();
        if (targeted && spec.at("selector").isPresent()) {
            findings.refuse(
                    spec.at("selector"),
                    "cannot be used together with targetRefs",
                    "keep targetRefs for a waypoint, or the selector for ztunnel");
        }
        if (spec.at("targetRef").isPresent() && spec.at("targetRefs").isPresent()) {
            findings.refuse(spec.at("targetRef"), "cannot be used together with targetRefs", "keep targetRefs");
        }
    }

    private static void action(Field spec, Findings findings) {
        var custom = spec.at("action").text().equals("CUSTOM");
        var provider = spec.at("provider").at("name");
        if (custom && provider.text().isEmpty()) {
            findings.refuse(provider, "is missing", "name the extension provider that decides");
        }
        if (!custom && spec.at("provider").isPresent()) {
            findings.refuse(spec.at("provider"), "is only for the action CUSTOM", "delete it");
        }
    }

    private static void clauses(Field clauses, String part, Findings findings) {
        if (clauses.isPresent() && clauses.isList() && clauses.items().isEmpty()) {
            findings.refuse(clauses, "is empty", "delete it to match everything, or list what shall match");
        }
        findings.onEach(clauses, clause -> {
            var inside = clause.at(part);
            if (inside.entries().values().stream().noneMatch(Field::isPresent)) {
                findings.refuse(inside, "is empty", "say what shall match, or delete the clause");
            }
            inside.entries().values().forEach(values -> findings.on(values, _ -> values(values, findings)));
        });
    }

    private static void values(Field values, Findings findings) {
        for (var value : values.items()) {
            if (value.text().isEmpty()) {
                findings.refuse(value, "is empty", "write a value, or delete it");
            }
        }
    }

    private static void condition(Field when, Findings findings) {
        var key = when.at("key").requiredText();
        if (!CONDITION.matcher(key).matches()) {
            findings.refuse(
                    when.at("key"),
                    "is \"" + key + "\", which is no attribute",
                    "write one like source.namespace, destination.port or request.headers[name]");
        }
        for (var values : List.of(when.at("values"), when.at("notValues"))) {
            values(values, findings);
        }
        if (when.at("values").items().isEmpty() && when.at("notValues").items().isEmpty()) {
            findings.refuse(when.at("values"), "is missing, and so is notValues", "list at least one value");
        }
    }
}
