// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.gateway.BackendPolicyManifest.Target;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.tree.Field;
import java.util.List;

/// Reads what policies of backends are attached to. A target that is not there is no mistake of the policy.
final class BackendTargets {
    private BackendTargets() {}

    static List<Target> read(Field spec, Interner interner) {
        return spec.at("targetRefs").items().stream()
                .map(target -> new Target(
                        interner.text(target.at("group").text()),
                        interner.text(target.at("kind").requiredText()),
                        target.at("name").requiredText(),
                        target.at("sectionName").text()))
                .toList();
    }
}
