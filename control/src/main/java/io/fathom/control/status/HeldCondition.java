// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Optional;

/// A condition as an object holds it.
///
/// @param since when its status became what it is; as written
/// @param generation of the object that it is about; empty when it does not say
record HeldCondition(
        String type, String status, String reason, String message, String since, Optional<String> generation) {

    /// Anything that is no condition reads as an empty one, which equals none of ours.
    static HeldCondition of(Tree tree) {
        try {
            var field = Field.root(tree);
            return new HeldCondition(
                    field.at("type").text(),
                    field.at("status").text(),
                    field.at("reason").text(),
                    field.at("message").text(),
                    field.at("lastTransitionTime").text(),
                    scalar(tree, "observedGeneration"));
        } catch (MisreadException e) {
            return new HeldCondition("", "", "", "", "", Optional.empty());
        }
    }

    /// Numbers and texts alike: Istio's kinds allow both.
    private static Optional<String> scalar(Tree tree, String name) {
        return tree instanceof Tree.Mapping mapping && mapping.entries().get(name) instanceof Tree.Scalar scalar
                ? Optional.of(scalar.text())
                : Optional.empty();
    }

    /// What is to be held, given what is. The time stays unless the status changes.
    static HeldCondition next(
            StatusCondition wanted, Optional<HeldCondition> held, Optional<String> generation, Instant now) {
        return next(wanted.type(), wanted.status().text(), wanted.reason(), wanted.message(), held, generation, now);
    }

    static HeldCondition next(
            String type,
            String status,
            String reason,
            String message,
            Optional<HeldCondition> held,
            Optional<String> generation,
            Instant now) {
        var since = held.filter(before ->
                        before.status().equals(status) && !before.since().isEmpty())
                .map(HeldCondition::since)
                .orElseGet(() -> now.truncatedTo(ChronoUnit.SECONDS).toString());
        return new HeldCondition(type, status, reason, message, since, generation);
    }

    Tree tree() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("type", type);
        fields.put("status", status);
        fields.put("reason", reason);
        fields.put("message", message);
        fields.put("lastTransitionTime", since);
        generation.ifPresent(number -> fields.put("observedGeneration", Long.parseLong(number)));
        return Json.of(fields);
    }
}
