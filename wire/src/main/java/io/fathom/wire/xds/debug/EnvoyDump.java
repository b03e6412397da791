// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.debug;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.admin.v3.BootstrapConfigDump;
import io.envoyproxy.envoy.admin.v3.ClustersConfigDump;
import io.envoyproxy.envoy.admin.v3.ConfigDump;
import io.envoyproxy.envoy.admin.v3.EcdsConfigDump;
import io.envoyproxy.envoy.admin.v3.EndpointsConfigDump;
import io.envoyproxy.envoy.admin.v3.ListenersConfigDump;
import io.envoyproxy.envoy.admin.v3.RoutesConfigDump;
import io.envoyproxy.envoy.admin.v3.ScopedRoutesConfigDump;
import io.envoyproxy.envoy.admin.v3.SecretsConfigDump;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.StoreCut;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// What an Envoy is configured with, in the shape of its own dump, so that both can be compared. Private keys are left
/// out. Pure.
public final class EnvoyDump {
    private static final DataSource REDACTED = DataSource.newBuilder()
            .setInlineBytes(ByteString.copyFromUtf8("[redacted]"))
            .build();

    /// Whether endpoints, which change often, are part of it.
    public enum Endpoints {
        INCLUDED,
        LEFT_OUT
    }

    private EnvoyDump() {}

    /// The dump of one client.
    ///
    /// @param feed what it is configured from
    public static ConfigDump of(ClientNode client, ResourceStore feed, Endpoints endpoints) {
        var head = feed.head();
        var dump = ConfigDump.newBuilder()
                .addConfigs(Any.pack(bootstrap(client)))
                .addConfigs(Any.pack(clusters(head)))
                .addConfigs(Any.pack(listeners(head)))
                .addConfigs(Any.pack(ScopedRoutesConfigDump.getDefaultInstance()))
                .addConfigs(Any.pack(routes(head)))
                .addConfigs(Any.pack(secrets(head)))
                .addConfigs(Any.pack(extensions(head)));
        if (endpoints == Endpoints.INCLUDED) {
            dump.addConfigs(Any.pack(endpoints(head)));
        }
        return dump.build();
    }

    private static BootstrapConfigDump bootstrap(ClientNode client) {
        return BootstrapConfigDump.newBuilder()
                .setBootstrap(Bootstrap.newBuilder().setNode(Node.newBuilder().setId(client.id())))
                .build();
    }

    private static ClustersConfigDump clusters(StoreCut head) {
        var dump = ClustersConfigDump.newBuilder().setVersionInfo(head.version());
        for (var resource : sorted(head, XdsType.CLUSTER)) {
            dump.addDynamicActiveClusters(ClustersConfigDump.DynamicCluster.newBuilder()
                    .setVersionInfo(resource.version())
                    .setCluster(content(XdsType.CLUSTER, resource)));
        }
        return dump.build();
    }

    private static ListenersConfigDump listeners(StoreCut head) {
        var dump = ListenersConfigDump.newBuilder().setVersionInfo(head.version());
        for (var resource : sorted(head, XdsType.LISTENER)) {
            dump.addDynamicListeners(ListenersConfigDump.DynamicListener.newBuilder()
                    .setName(resource.name())
                    .setActiveState(ListenersConfigDump.DynamicListenerState.newBuilder()
                            .setVersionInfo(resource.version())
                            .setListener(content(XdsType.LISTENER, resource))));
        }
        return dump.build();
    }

    private static RoutesConfigDump routes(StoreCut head) {
        var dump = RoutesConfigDump.newBuilder();
        for (var resource : sorted(head, XdsType.ROUTES)) {
            dump.addDynamicRouteConfigs(RoutesConfigDump.DynamicRouteConfig.newBuilder()
                    .setVersionInfo(resource.version())
                    .setRouteConfig(content(XdsType.ROUTES, resource)));
        }
        return dump.build();
    }

    private static SecretsConfigDump secrets(StoreCut head) {
        var dump = SecretsConfigDump.newBuilder();
        for (var resource : sorted(head, XdsType.SECRET)) {
            dump.addDynamicActiveSecrets(SecretsConfigDump.DynamicSecret.newBuilder()
                    .setName(resource.name())
                    .setVersionInfo(resource.version())
                    .setSecret(Any.pack(redacted(resource))));
        }
        return dump.build();
    }

    private static Secret redacted(XdsResource resource) {
        try {
            var secret = Secret.parseFrom(resource.body()).toBuilder();
            if (secret.hasTlsCertificate()) {
                secret.getTlsCertificateBuilder().setPrivateKey(REDACTED);
            }
            return secret.build();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("we made it", e);
        }
    }

    private static EcdsConfigDump extensions(StoreCut head) {
        var dump = EcdsConfigDump.newBuilder();
        for (var resource : sorted(head, XdsType.EXTENSION)) {
            dump.addEcdsFilters(EcdsConfigDump.EcdsFilterConfig.newBuilder()
                    .setVersionInfo(resource.version())
                    .setEcdsFilter(content(XdsType.EXTENSION, resource)));
        }
        return dump.build();
    }

    private static EndpointsConfigDump endpoints(StoreCut head) {
        var dump = EndpointsConfigDump.newBuilder();
        for (var resource : sorted(head, XdsType.ENDPOINTS)) {
            dump.addDynamicEndpointConfigs(EndpointsConfigDump.DynamicEndpointConfig.newBuilder()
                    .setVersionInfo(resource.version())
                    .setEndpointConfig(content(XdsType.ENDPOINTS, resource)));
        }
        return dump.build();
    }

    private static List<XdsResource> sorted(StoreCut head, XdsType type) {
        var result = new ArrayList<XdsResource>();
        head.resources(type).forEach((_, resource) -> result.add(resource));
        result.sort(Comparator.comparing(XdsResource::name));
        return result;
    }

    private static Any content(XdsType type, XdsResource resource) {
        return Any.newBuilder()
                .setTypeUrl(type.url())
                .setValue(ByteString.copyFrom(resource.body()))
                .build();
    }
}
