// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What an agent that is told to end does: leave everything to its successor, or clean up because there is none. Pure.
public final class Upgrade {
    /// What to do.
    public enum Decision {
        /// Plugin, rules and sets stay for the next agent.
        KEEP,
        CLEAN_UP
    }

    private Upgrade() {}

    /// By the DaemonSet that started us. Its node selector says nothing, as upstream: who takes agents away for a while
    /// writes one that no node meets, and pods must not start uncaptured meanwhile.
    ///
    /// @param daemonSet empty when there is none any more
    /// @param node this machine's labels by name; asked only where they matter
    public static Decision decide(Optional<KubeObject> daemonSet, Supplier<Map<String, String>> node) {
        if (daemonSet.isEmpty() || daemonSet.get().isDeleting()) {
            return Decision.CLEAN_UP;
        }
        var pod = daemonSet.get().root().at("spec").at("template").at("spec");
        var required = pod.at("affinity").at("nodeAffinity").at("requiredDuringSchedulingIgnoredDuringExecution");
        return !required.isPresent() || matchesAny(required.at("nodeSelectorTerms"), node.get())
                ? Decision.KEEP
                : Decision.CLEAN_UP;
    }

    /// Terms are alternatives. An empty one matches nothing, as with the scheduler.
    private static boolean matchesAny(Field terms, Map<String, String> node) {
        return terms.items().stream().anyMatch(term -> {
            var expressions = term.at("matchExpressions").items();
            var fields = term.at("matchFields").items();
            return !(expressions.isEmpty() && fields.isEmpty())
                    && expressions.stream().allMatch(expression -> holds(expression, node))
                    && fields.stream().allMatch(field -> holds(field, node));
        });
    }

    private static boolean holds(Field expression, Map<String, String> labels) {
        var key = expression.at("key").text();
        var value = labels.get(key);
        List<String> values = expression.at("values").texts();
        return switch (expression.at("operator").text()) {
            case "In" -> value != null && values.contains(value);
            case "NotIn" -> value == null || !values.contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt" -> compare(value, values) > 0;
            case "Lt" -> compare(value, values) < 0;
            default -> false;
        };
    }

    /// Zero when there is nothing to compare.
    private static int compare(@Nullable String value, List<String> values) {
        try {
            return value == null || values.size() != 1
                    ? 0
                    : Long.compare(Long.parseLong(value), Long.parseLong(values.getFirst()));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
