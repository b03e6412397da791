// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.networking.EntryEndpoint;
import java.util.HashMap;
import java.util.Map;

/// What a WorkloadEntry holds, and a ServiceEntry in line.
public final class EndpointDraft {
    private final String address;
    private final Map<String, Integer> ports = new HashMap<>();
    private final Map<String, String> labels = new HashMap<>();
    private String network = "";
    private String locality = "";
    private int weight;
    private String account = "";

    EndpointDraft(String address) {
        this.address = address;
    }

    public EndpointDraft port(String name, int number) {
        ports.put(name, number);
        return this;
    }

    public EndpointDraft label(String key, String value) {
        labels.put(key, value);
        return this;
    }

    public EndpointDraft network(String value) {
        network = value;
        return this;
    }

    public EndpointDraft locality(String value) {
        locality = value;
        return this;
    }

    public EndpointDraft weight(int value) {
        weight = value;
        return this;
    }

    public EndpointDraft account(String value) {
        account = value;
        return this;
    }

    EntryEndpoint endpoint() {
        return new EntryEndpoint(address, ports, labels, network, locality, weight, account);
    }
}
