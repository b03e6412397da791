// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.fathom.wire.proto.workload.Address;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.InitialVersions;
import io.fathom.wire.xds.stream.XdsRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// What tests of this package share: short ways to say workloads, policies, requests.
public final class Fixture {
    public static final String ALL = "*";

    private Fixture() {}

    /// A pod with that address, node and services; `note` makes it differ.
    public static XdsResource pod(String name, String ip, String node, String note, String... services) {
        return workload("Kubernetes//Pod/default/" + name, List.of("/" + ip), node, note, List.of(), services);
    }

    public static XdsResource pod(String name, String ip) {
        return pod(name, ip, "other-node", "");
    }

    public static XdsResource workload(
            String uid, List<String> aliases, String node, String note, List<String> policies, String... services) {
        var address = Address.newBuilder();
        address.getWorkloadBuilder()
                .setUid(uid)
                .setNode(node)
                .setCanonicalRevision(note)
                .setHostname(String.join(",", aliases))
                .setName(String.join(",", services))
                .addAllAuthorizationPolicies(policies);
        var links = new java.util.ArrayList<>(List.of(services));
        links.add(node);
        return resource(uid, address.build().toByteArray(), aliases, links);
    }

    public static XdsResource service(String host, String vip, String note) {
        var address = Address.newBuilder();
        address.getServiceBuilder().setHostname(host).setName(note).addSubjectAltNames(vip);
        return resource("default/" + host, address.build().toByteArray(), List.of("/" + vip), List.of());
    }

    public static XdsResource policy(String name, String note) {
        return resource(name, note.getBytes(StandardCharsets.UTF_8), List.of(), List.of());
    }

    public static XdsResource resource(String name, byte[] body, List<String> aliases, List<String> links) {
        return XdsResource.of(name, 0x1234_5678_0000L + Arrays.hashCode(body), body, aliases, links);
    }

    public static ResourceBatch addresses(XdsResource... resources) {
        var batch = new ResourceBatch();
        for (var resource : resources) {
            batch.put(XdsType.ADDRESS, resource);
        }
        return batch;
    }

    public static ClientNode client(String nodeName) {
        return ClientNode.parse(node(nodeName));
    }

    static ByteString node(String nodeName) {
        return nodeMessage(nodeName).toByteString();
    }

    static Node nodeMessage(String nodeName) {
        return Node.newBuilder()
                .setId("ztunnel~10.0.0.9~ztunnel-x.istio-system~istio-system.svc.cluster.local")
                .setMetadata(Struct.newBuilder()
                        .putFields(
                                "NODE_NAME",
                                Value.newBuilder().setStringValue(nodeName).build())
                        .putFields(
                                "ISTIO_VERSION",
                                Value.newBuilder().setStringValue("1.32.0").build()))
                .build();
    }

    public static XdsRequest request(XdsType type, List<String> subscribe, List<String> unsubscribe) {
        return request(type, subscribe, unsubscribe, InitialVersions.NONE);
    }

    public static XdsRequest request(
            XdsType type, List<String> subscribe, List<String> unsubscribe, InitialVersions initial) {
        return new XdsRequest(Optional.empty(), type, subscribe, unsubscribe, initial, "", Optional.empty(), 0);
    }

    public static XdsRequest ack(XdsType type, String nonce) {
        return new XdsRequest(
                Optional.empty(), type, List.of(), List.of(), InitialVersions.NONE, nonce, Optional.empty(), 0);
    }

    public static XdsRequest nack(XdsType type, String nonce, String error) {
        return new XdsRequest(
                Optional.empty(), type, List.of(), List.of(), InitialVersions.NONE, nonce, Optional.of(error), 0);
    }

    public static InitialVersions retained(String... namesAndVersions) {
        var retained = new InitialVersions();
        for (int i = 0; i < namesAndVersions.length; i += 2) {
            retained.add(namesAndVersions[i], namesAndVersions[i + 1]);
        }
        return retained;
    }

    static byte[] bytes(XdsResponse response) {
        var out = new ByteArrayOutputStream();
        try {
            response.body().writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (out.size() != response.size()) {
            throw new AssertionError("announced " + response.size() + " bytes, wrote " + out.size());
        }
        return out.toByteArray();
    }

    public static DeltaDiscoveryResponse delta(XdsResponse response) {
        try {
            return DeltaDiscoveryResponse.parseFrom(bytes(response));
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    public static DiscoveryResponse sotw(XdsResponse response) {
        try {
            return DiscoveryResponse.parseFrom(bytes(response));
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    public static List<String> names(DeltaDiscoveryResponse response) {
        return response.getResourcesList().stream().map(Resource::getName).toList();
    }
}
