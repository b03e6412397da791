// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.networking.EntryEndpoint;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest.AssignedAddress;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A ServiceEntry: STATIC, without addresses and endpoints.
public final class EntryDraft extends Draft<EntryDraft> {
    private final List<String> hosts;
    private final List<String> addresses = new ArrayList<>();
    private final List<EntryPort> ports = new ArrayList<>();
    private Resolution resolution = Resolution.STATIC;
    private final List<EntryEndpoint> endpoints = new ArrayList<>();
    private Map<String, String> selector = Map.of();
    private List<String> names = List.of();
    private final List<AssignedAddress> assigned = new ArrayList<>();

    EntryDraft(String path, String... hosts) {
        super(path);
        this.hosts = List.of(hosts);
    }

    @Override
    EntryDraft self() {
        return this;
    }

    public EntryDraft address(String... values) {
        addresses.addAll(List.of(values));
        return this;
    }

    public EntryDraft port(String name, int number, String protocol) {
        return port(name, number, protocol, 0);
    }

    public EntryDraft port(String name, int number, String protocol, int target) {
        ports.add(new EntryPort(name, number, protocol, target));
        return this;
    }

    public EntryDraft resolution(Resolution value) {
        resolution = value;
        return this;
    }

    public EntryDraft endpoint(String address) {
        return endpoint(new EndpointDraft(address));
    }

    public EntryDraft endpoint(EndpointDraft endpoint) {
        endpoints.add(endpoint.endpoint());
        return this;
    }

    public EntryDraft selects(String label, String value) {
        selector = Map.of(label, value);
        return this;
    }

    EntryDraft names(String... values) {
        names = List.of(values);
        return this;
    }

    @Override
    ServiceEntryManifest manifest() {
        return new ServiceEntryManifest(
                metadata(), hosts, addresses, ports, resolution, endpoints, selector, names, assigned);
    }
}
