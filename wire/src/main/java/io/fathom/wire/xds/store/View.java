// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import java.util.List;
import java.util.Optional;

/// How the resources of a store are shown under a type URL. The bare workload is the inside of an Address, so it needs
/// no bytes of its own.
public enum View {
    ADDRESS,
    WORKLOAD,
    AUTHORIZATION,
    /// Whose roots vouch for which trust domain.
    TRUST,
    PEER_CLUSTER,
    PEER_SERVICE,
    PEER_ENDPOINTS;

    /// Header of field 1 of an Address: the workload.
    private static final int WORKLOAD_TAG = 0x0a;

    public static Optional<View> of(XdsType type) {
        for (var view : values()) {
            if (view.type().equals(type)) {
                return Optional.of(view);
            }
        }
        return Optional.empty();
    }

    public XdsType type() {
        return switch (this) {
            case ADDRESS -> XdsType.ADDRESS;
            case WORKLOAD -> XdsType.WORKLOAD;
            case AUTHORIZATION -> XdsType.AUTHORIZATION;
            case TRUST -> XdsType.SECRET;
            case PEER_CLUSTER -> XdsType.PEER_CLUSTER;
            case PEER_SERVICE -> XdsType.PEER_SERVICE;
            case PEER_ENDPOINTS -> XdsType.PEER_ENDPOINTS;
        };
    }

    /// Whether it is what node proxies send traffic by.
    public boolean showsAddresses() {
        return switch (this) {
            case ADDRESS, WORKLOAD -> true;
            case AUTHORIZATION, TRUST, PEER_CLUSTER, PEER_SERVICE, PEER_ENDPOINTS -> false;
        };
    }

    /// The type whose resources the store holds.
    public XdsType source() {
        return this == WORKLOAD ? XdsType.ADDRESS : type();
    }

    public boolean includes(XdsResource resource) {
        var body = resource.sharedBody();
        return this != WORKLOAD || (body.length > 0 && body[0] == WORKLOAD_TAG);
    }

    public List<XdsResource> included(List<XdsResource> resources) {
        return this == WORKLOAD ? resources.stream().filter(this::includes).toList() : resources;
    }

    /// Where in the Address of a workload the workload itself starts.
    static int workloadStart(byte[] address) {
        var at = 1;
        while (at < address.length && address[at] < 0) {
            at++;
        }
        return Math.min(at + 1, address.length);
    }
}
