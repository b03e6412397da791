// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.core.EndpointSliceManifest;
import io.fathom.wire.kube.core.EndpointSliceManifest.AddressType;
import io.fathom.wire.kube.core.EndpointSliceManifest.Endpoint;
import io.fathom.wire.kube.core.EndpointSliceManifest.SlicePort;
import io.fathom.wire.kube.core.EndpointSliceManifest.TargetRef;
import io.fathom.wire.kube.manifest.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An EndpointSlice of a Service.
public final class SliceDraft extends Draft<SliceDraft> {
    private final String service;
    private AddressType type = AddressType.IPV4;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final List<SlicePort> ports = new ArrayList<>();

    SliceDraft(String path, String service) {
        super(path);
        this.service = service;
    }

    @Override
    SliceDraft self() {
        return this;
    }

    public SliceDraft type(AddressType value) {
        type = value;
        return this;
    }

    public SliceDraft endpoint(String address) {
        endpoints.add(new Endpoint(List.of(address), true, Optional.empty()));
        return this;
    }

    public SliceDraft notReadyEndpoint(String address) {
        endpoints.add(new Endpoint(List.of(address), false, Optional.empty()));
        return this;
    }

    public SliceDraft pod(String address, String namespace, String name, String uid) {
        endpoints.add(new Endpoint(List.of(address), true, Optional.of(new TargetRef("Pod", namespace, name, uid))));
        return this;
    }

    public SliceDraft port(String name, int number) {
        ports.add(new SlicePort(name, number, Transport.TCP));
        return this;
    }

    @Override
    EndpointSliceManifest manifest() {
        return new EndpointSliceManifest(metadata(), service, type, endpoints, ports);
    }
}
