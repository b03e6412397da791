// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.PodManifest.ContainerPort;
import io.fathom.wire.kube.core.PodManifest.Owner;
import io.fathom.wire.kube.core.PodManifest.Phase;
import io.fathom.wire.kube.manifest.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A pod: running, ready, with one address that its name decides.
public final class PodDraft extends Draft<PodDraft> {
    private Phase phase = Phase.RUNNING;
    private boolean ready = true;
    private List<String> ips;
    private String node = "";
    private String account = "default";
    private boolean hostNetwork;
    private final List<ContainerPort> ports = new ArrayList<>();
    private Optional<Owner> controller = Optional.empty();
    private String generateName = "";

    PodDraft(String path) {
        super(path);
        ips = List.of("10.244." + (path.hashCode() >>> 8 & 0xff) + "." + (path.hashCode() & 0xff));
    }

    @Override
    PodDraft self() {
        return this;
    }

    public PodDraft phase(Phase value) {
        phase = value;
        return this;
    }

    public PodDraft notReady() {
        ready = false;
        return this;
    }

    public PodDraft ips(String... addresses) {
        ips = List.of(addresses);
        return this;
    }

    public PodDraft node(String name) {
        node = name;
        return this;
    }

    public PodDraft account(String name) {
        account = name;
        return this;
    }

    public PodDraft hostNetwork() {
        hostNetwork = true;
        return this;
    }

    public PodDraft port(String name, int number) {
        ports.add(new ContainerPort(name, number, Transport.TCP));
        return this;
    }

    public PodDraft ownedBy(String kind, String name) {
        controller = Optional.of(new Owner(kind, name));
        generateName = name + "-";
        return this;
    }

    public PodDraft captured() {
        return annotation("ambient.istio.io/redirection", "enabled");
    }

    @Override
    public PodManifest manifest() {
        return new PodManifest(
                metadata(),
                phase,
                ready,
                ips.stream().map(text -> Ip.parse(text).orElseThrow()).toList(),
                node,
                account,
                hostNetwork,
                ports,
                controller,
                generateName);
    }
}
