// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.model.policy.Authorization;
import io.fathom.model.routing.MeshDelta;
import io.fathom.wire.workload.AddressCodec;
import io.fathom.wire.workload.AuthorizationCodec;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/// Short ways to say workloads, services, policies and responses.
final class Meshes {
    static final String POD = "Kubernetes//Pod/default/";
    static final NodeDescription NODE = new NodeDescription(
            Optional.of("10.0.0.9"), "ztunnel-x", "istio-system", Optional.of("my-node"), Map.of(), Map.of());

    private Meshes() {}

    static Workload pod(String name, String ip) {
        return podOn("my-node", name, ip);
    }

    static Workload podOn(String node, String name, String ip, String... services) {
        var memberships = new HashMap<String, List<Port>>();
        for (var service : services) {
            memberships.put(service, List.of(new Port(80, 8080, AppProtocol.UNKNOWN)));
        }
        return new Workload(
                POD + name,
                name,
                "default",
                new WorkloadNetwork("", List.of(Ip.parse(ip).orElseThrow()), "", Workload.NetworkMode.STANDARD),
                WorkloadTunnel.of(Workload.TunnelProtocol.HBONE),
                new WorkloadSecurity("", "account-of-" + name, List.of()),
                WorkloadGateways.NONE,
                new WorkloadPlace("Kubernetes", node, new Locality("r1", "z1", "")),
                new CanonicalService(name, "v1"),
                new WorkloadOwner(Workload.Type.POD, name),
                Workload.Health.HEALTHY,
                new ServiceMembership(memberships, 0));
    }

    static Service service(String name, String vip) {
        return new Service(
                name,
                "default",
                name,
                List.of(NetworkAddress.of("", Ip.parse(vip).orElseThrow())),
                List.of(new Port(80, 8080, AppProtocol.UNKNOWN)),
                List.of(),
                ServiceWaypoints.NONE,
                LoadBalancing.NONE,
                Service.IpFamilies.AUTOMATIC,
                Service.Canonical.NO,
                Service.Visibility.PUBLIC);
    }

    static Authorization policy(String name) {
        return new Authorization(
                name,
                "default",
                Authorization.Scope.NAMESPACE,
                Authorization.Action.DENY,
                List.of(),
                Authorization.DryRun.NO);
    }

    static ResourceBatch batch(Object... parts) {
        var batch = new ResourceBatch();
        for (var part : parts) {
            switch (part) {
                case Workload workload -> batch.put(XdsType.ADDRESS, AddressCodec.resource(workload));
                case Service service -> batch.put(XdsType.ADDRESS, AddressCodec.resource(service));
                case Authorization policy -> batch.put(XdsType.AUTHORIZATION, AuthorizationCodec.resource(policy));
                default -> throw new IllegalArgumentException("no part of a mesh: " + part);
            }
        }
        return batch;
    }

    static Resource resource(XdsType type, XdsResource resource) {
        return Resource.newBuilder()
                .setName(resource.name())
                .setVersion(resource.version())
                .addAllAliases(resource.aliases())
                .setResource(Any.newBuilder().setTypeUrl(type.url()).setValue(ByteString.copyFrom(resource.body())))
                .build();
    }

    static Resource resource(Workload workload) {
        return resource(XdsType.ADDRESS, AddressCodec.resource(workload));
    }

    static Resource resource(Authorization policy) {
        return resource(XdsType.AUTHORIZATION, AuthorizationCodec.resource(policy));
    }

    static DeltaDiscoveryResponse.Builder response(XdsType type, String nonce, Resource... resources) {
        return DeltaDiscoveryResponse.newBuilder()
                .setSystemVersionInfo("system-" + nonce)
                .setTypeUrl(type.url())
                .setNonce(nonce)
                .addAllResources(List.of(resources));
    }

    /// In pieces of any size, as they come from a connection.
    static DeltaProtocol.Receipt receive(
            DeltaProtocol protocol, DeltaDiscoveryResponse.Builder response, Consumer<MeshDelta> mesh)
            throws IOException {
        var exchange = protocol.begin(mesh, _ -> {});
        var bytes = Unpooled.wrappedBuffer(response.build().toByteArray());
        var random = new Random(bytes.readableBytes());
        while (bytes.isReadable()) {
            var most = random.nextBoolean() ? 7 : 20_000;
            exchange.feed(bytes.readSlice(Math.min(bytes.readableBytes(), 1 + random.nextInt(most))));
        }
        return exchange.finish();
    }
}
