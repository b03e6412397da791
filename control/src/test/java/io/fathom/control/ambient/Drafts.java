// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.model.mesh.Locality;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.NodeManifest;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import java.util.Map;
import java.util.function.Function;

/// The words of the tests.
public final class Drafts {
    private Drafts() {}

    /// Kinds that are little more than their metadata.
    public static final class Plain extends Draft<Plain> {
        private final Function<Plain, Manifest> finish;

        private Plain(String name, Function<Plain, Manifest> finish) {
            super(name);
            this.finish = finish;
        }

        @Override
        Plain self() {
            return this;
        }

        @Override
        Manifest manifest() {
            return finish.apply(this);
        }
    }

    public static Plain namespace(String name) {
        return new Plain(name, own -> new NamespaceManifest(own.metadata()));
    }

    /// The system namespace, on a network.
    public static Plain network(String network) {
        return namespace("istio-system").label("topology.istio.io/network", network);
    }

    public static Plain node(String name, String locality) {
        return new Plain(name, own -> new NodeManifest(own.metadata(), Locality.parse(locality)));
    }

    public static Plain gatewayClass(String name, String controller) {
        return new Plain(name, own -> new GatewayClassManifest(own.metadata(), controller, 0));
    }

    public static Plain serviceExport(String path) {
        return new Plain(path, own -> new ServiceExportManifest(own.metadata(), Map.of(), Map.of()));
    }

    /// With labels that its ServiceImport shall have.
    static Plain serviceExport(String path, Map<String, String> labels) {
        return new Plain(path, own -> new ServiceExportManifest(own.metadata(), labels, Map.of()));
    }

    public static PodDraft pod(String path) {
        return new PodDraft(path);
    }

    public static ServiceDraft service(String path) {
        return new ServiceDraft(path);
    }

    public static SliceDraft slice(String path, String service) {
        return new SliceDraft(path, service);
    }

    public static EntryDraft entry(String path, String... hosts) {
        return new EntryDraft(path, hosts);
    }

    public static EndpointDraft endpoint(String address) {
        return new EndpointDraft(address);
    }

    public static VmDraft vm(String path, String address) {
        return new VmDraft(path, endpoint(address));
    }

    public static VmDraft vm(String path, EndpointDraft endpoint) {
        return new VmDraft(path, endpoint);
    }

    /// A Gateway of the waypoint class that is ready under its usual host name.
    public static GatewayDraft waypoint(String path) {
        var name = path.substring(path.indexOf('/') + 1);
        var namespace = path.substring(0, path.indexOf('/'));
        return unready(path).hostname(name + "." + namespace + ".svc.cluster.local");
    }

    public static GatewayDraft unready(String path) {
        return new GatewayDraft(path, "istio-waypoint");
    }

    /// Stands for the gateway of another network.
    public static GatewayDraft remoteGateway(String path, String network) {
        return new GatewayDraft(path, "istio-remote").label("topology.istio.io/network", network);
    }

    /// Lets other networks in, in a cluster of its own.
    public static GatewayDraft eastWest(String path, String network) {
        return new GatewayDraft(path, "istio-east-west").endsTls().label("topology.istio.io/network", network);
    }

    public static MeshConfigDraft meshConfig() {
        return new MeshConfigDraft();
    }
}
