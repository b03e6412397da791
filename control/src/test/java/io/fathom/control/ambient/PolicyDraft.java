// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.function.Function;

/// A policy of either kind.
public final class PolicyDraft extends Draft<PolicyDraft> {
    private final Function<Metadata, Manifest> finish;

    public PolicyDraft(String path, Function<Metadata, Manifest> finish) {
        super(path);
        this.finish = finish;
    }

    @Override
    PolicyDraft self() {
        return this;
    }

    @Override
    Manifest manifest() {
        return finish.apply(metadata());
    }
}
