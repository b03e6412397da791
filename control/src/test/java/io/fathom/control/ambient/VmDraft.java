// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.networking.WorkloadEntryManifest;

/// A WorkloadEntry.
public final class VmDraft extends Draft<VmDraft> {
    private final EndpointDraft endpoint;
    private boolean healthy = true;

    VmDraft(String path, EndpointDraft endpoint) {
        super(path);
        this.endpoint = endpoint;
    }

    public VmDraft unhealthy() {
        healthy = false;
        return this;
    }

    @Override
    VmDraft self() {
        return this;
    }

    @Override
    WorkloadEntryManifest manifest() {
        return new WorkloadEntryManifest(metadata(), endpoint.endpoint(), healthy);
    }
}
