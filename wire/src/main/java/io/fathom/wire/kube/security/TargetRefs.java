// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.tree.Field;
import java.util.ArrayList;
import java.util.List;

/// Reads what an object is attached to: `targetRef` and `targetRefs`.
public final class TargetRefs {
    private TargetRefs() {}

    public static List<PolicyTarget> read(Field spec) {
        var targets = new ArrayList<PolicyTarget>();
        if (spec.at("targetRef").isPresent()) {
            targets.add(target(spec.at("targetRef")));
        }
        spec.at("targetRefs").items().forEach(field -> targets.add(target(field)));
        return targets;
    }

    private static PolicyTarget target(Field target) {
        return new PolicyTarget(
                target.at("group").text(),
                target.at("kind").requiredText(),
                target.at("name").requiredText());
    }
}
