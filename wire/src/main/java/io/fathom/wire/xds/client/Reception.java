// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Address;
import io.fathom.model.policy.Authorization;
import io.fathom.model.routing.MeshDelta;
import io.fathom.model.trust.TrustMap;
import io.fathom.wire.sds.TrustSecret;
import io.fathom.wire.xds.store.XdsType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// One response while it is read. What is valid in it goes to the mesh as a whole once it was read, save that a
/// response to somebody who holds nothing yet goes in pieces, so that a first answer with the whole mesh never
/// stands in memory twice. For one thread, used once.
final class Reception implements ResponseReader.Visitor {
    private static final int PIECE = 4096;
    private static final int TOLD_REJECTIONS = 100;

    private final ResourceDecoder decoder;
    private final Intake<Address> addresses;
    private final Intake<Authorization> policies;
    private final Consumer<MeshDelta> mesh;
    private final Consumer<TrustMap> trust;
    private final Consumer<String> seen;
    private final List<String> removed = new ArrayList<>();
    private final List<String> rejections = new ArrayList<>();
    private int rejected;
    private int accepted;
    private String typeUrl = "";
    private String nonce = "";
    private String systemVersion = "";

    /// Begins with what is held.
    ///
    /// @param seen hears each name and alias of the response, before the mesh has the resource
    Reception(
            ResourceDecoder decoder,
            VersionTable heldAddresses,
            VersionTable heldPolicies,
            Consumer<MeshDelta> mesh,
            Consumer<TrustMap> trust,
            Consumer<String> seen) {
        this.decoder = decoder;
        this.addresses = new Intake<>(heldAddresses);
        this.policies = new Intake<>(heldPolicies);
        this.mesh = mesh;
        this.trust = trust;
        this.seen = seen;
    }

    @Override
    public void resource(Resource resource) {
        var url = resource.getResource().getTypeUrl();
        try {
            if (url.equals(XdsType.ADDRESS.url())) {
                var address = decoder.address(resource);
                addresses.add(address, address.resourceName(), resource.getVersion());
                accepted++;
            } else if (url.equals(XdsType.AUTHORIZATION.url())) {
                policies.add(ResourceDecoder.authorization(resource), resource.getName(), resource.getVersion());
                accepted++;
            } else if (url.equals(XdsType.SECRET.url()) && resource.getName().equals(TrustSecret.NAME)) {
                trust.accept(
                        TrustSecret.decode(resource.getResource().getValue().toByteArray()));
                accepted++;
            }
        } catch (ProblemException e) {
            reject(resource.getName(), e.problem().message());
        } catch (IOException e) {
            reject(resource.getName(), String.valueOf(e.getMessage()));
        }
        seen.accept(resource.getName());
        resource.getAliasesList().forEach(seen);
        if (addresses.isFull(PIECE) || policies.isFull(PIECE)) {
            apply(List.of(), List.of());
        }
    }

    @Override
    public void broken(String reason) {
        reject("a resource without a name", reason);
    }

    private void reject(String name, String reason) {
        rejected++;
        if (rejections.size() < TOLD_REJECTIONS) {
            rejections.add(name + ": " + reason);
        }
    }

    /// Applies what is left, and the removals.
    void finish() {
        removed.forEach(seen);
        var ofPolicies = typeUrl.equals(XdsType.AUTHORIZATION.url());
        // of trust nothing is ever removed: a control plane that knows less than the last one takes nothing back
        apply(ofPolicies ? List.of() : addresses.meant(removed), ofPolicies ? policies.meant(removed) : List.of());
    }

    private void apply(List<String> goneAddresses, List<String> gonePolicies) {
        var delta = new MeshDelta(addresses.items(), goneAddresses, policies.items(), gonePolicies);
        if (!delta.isEmpty()) {
            mesh.accept(delta);
        }
        addresses.settle(goneAddresses);
        policies.settle(gonePolicies);
    }

    /// `name: reason; name: reason`; empty when nothing was rejected.
    String rejections() {
        var told = String.join("; ", rejections);
        return rejected > rejections.size() ? told + "; and " + (rejected - rejections.size()) + " more" : told;
    }

    int accepted() {
        return accepted;
    }

    int rejected() {
        return rejected;
    }

    String typeUrl() {
        return typeUrl;
    }

    String nonce() {
        return nonce;
    }

    String systemVersion() {
        return systemVersion;
    }

    @Override
    public void removed(String name) {
        removed.add(name);
    }

    @Override
    public void type(String url) {
        typeUrl = url;
    }

    @Override
    public void nonce(String text) {
        nonce = text;
    }

    @Override
    public void systemVersion(String version) {
        systemVersion = version;
    }
}
