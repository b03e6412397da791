// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes.From;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import io.fathom.wire.kube.gateway.GatewayManifest.Tls;
import io.fathom.wire.kube.manifest.LabelSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A Gateway with one HBONE listener for its own namespace, not ready.
public final class GatewayDraft extends Draft<GatewayDraft> {
    private String className;
    private AllowedRoutes allowed = new AllowedRoutes(From.SAME, LabelSelector.EVERYTHING);
    private int port = 15008;
    private String protocol = "HBONE";
    private Optional<Tls> tls = Optional.empty();
    private final List<Listener> more = new ArrayList<>();
    private final List<Address> addresses = new ArrayList<>();
    private final List<Address> specAddresses = new ArrayList<>();
    private boolean isWithoutListener;

    GatewayDraft(String path, String className) {
        super(path);
        this.className = className;
    }

    @Override
    GatewayDraft self() {
        return this;
    }

    public GatewayDraft serves(String word) {
        return label("istio.io/waypoint-for", word);
    }

    public GatewayDraft forAccount(String name) {
        return annotation("istio.io/for-service-account", name);
    }

    public GatewayDraft ofClass(String name) {
        className = name;
        return this;
    }

    public GatewayDraft hostname(String value) {
        addresses.add(new Address("Hostname", value));
        return this;
    }

    public GatewayDraft ip(String value) {
        addresses.add(new Address("IPAddress", value));
        return this;
    }

    public GatewayDraft address(String type, String value) {
        addresses.add(new Address(type, value));
        return this;
    }

    /// As people write it, before anybody has written a status.
    public GatewayDraft specAddress(String type, String value) {
        specAddresses.add(new Address(type, value));
        return this;
    }

    /// Without the usual listener.
    public GatewayDraft withoutListener() {
        isWithoutListener = true;
        return this;
    }

    /// One more, by name.
    public GatewayDraft namedListener(String name, int number, String spoken) {
        more.add(Listener.plain(name, number, spoken, new AllowedRoutes(From.SAME, LabelSelector.EVERYTHING)));
        return this;
    }

    public GatewayDraft allows(From from) {
        allowed = new AllowedRoutes(from, LabelSelector.EVERYTHING);
        return this;
    }

    public GatewayDraft allowsNamespaces(String label, String value) {
        allowed = new AllowedRoutes(From.SELECTOR, new LabelSelector(Map.of(label, value), List.of()));
        return this;
    }

    GatewayDraft listener(int number, String spoken) {
        port = number;
        protocol = spoken;
        return this;
    }

    /// Its listener ends TLS.
    GatewayDraft endsTls() {
        tls = Optional.of(new Tls("Terminate", List.of(), Map.of()));
        return this;
    }

    /// One more, for everybody.
    public GatewayDraft moreListeners(int number, String spoken) {
        more.add(Listener.plain(
                "more-" + number, number, spoken, new AllowedRoutes(From.ALL, LabelSelector.EVERYTHING)));
        return this;
    }

    @Override
    GatewayManifest manifest() {
        var listeners = new ArrayList<>(List.of(new Listener("mesh", "", port, protocol, tls, allowed)));
        if (isWithoutListener) {
            listeners.clear();
        }
        listeners.addAll(more);
        return new GatewayManifest(metadata(), className, listeners, specAddresses, addresses);
    }
}
