// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.fakes;

import io.fathom.node.cni.rules.Difference;
import io.fathom.node.cni.rules.HostRules;
import java.util.List;

public final class FakeHost implements HostRules {
    private volatile boolean installed;

    @Override
    public void install() {
        installed = true;
    }

    @Override
    public void remove() {
        installed = false;
    }

    @Override
    public List<Difference> inspect() {
        return installed ? List.of() : List.of(new Difference(Difference.DifferenceKind.MISSING, "host", "all"));
    }
}
