// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.debug;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.admin.v3.UpdateFailureState;
import io.envoyproxy.envoy.config.core.v3.ControlPlane;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.status.v3.ClientConfig;
import io.envoyproxy.envoy.service.status.v3.ClientConfig.GenericXdsConfig;
import io.envoyproxy.envoy.service.status.v3.ConfigStatus;
import io.fathom.wire.xds.store.ResponseFactory;
import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.Connection;
import io.fathom.wire.xds.stream.StreamGate;
import io.fathom.wire.xds.stream.StreamRejection;
import io.fathom.wire.xds.stream.StreamTable;
import io.fathom.wire.xds.stream.WatchStatus;
import io.fathom.wire.xds.stream.XdsRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Answers to the types that `istioctl` asks for on state-of-the-world streams: each request gets one response,
/// whatever nonce it carries, and that is not acknowledged. Only clients whose namespace is proven get any. Any thread.
public final class DebugAnswers {
    private static final String TYPE = "istio.io/debug";
    private static final String SYNC = TYPE + "/syncz";
    private static final String DUMP = TYPE + "/config_dump";
    private static final String EVENTS = "event";
    private static final String NOT_HERE =
            "Proxy not connected to this Pilot instance. It may be connected to another instance.";

    private final StreamTable streams;
    private volatile DebugPages pages = DebugPages.NONE;

    public DebugAnswers(StreamTable streams) {
        this.streams = streams;
    }

    public void use(DebugPages newPages) {
        pages = newPages;
    }

    public static boolean isDebug(XdsType type) {
        return type.url().equals(TYPE) || type.url().startsWith(TYPE + "/");
    }

    /// The answer to a request for a debug page.
    ///
    /// @throws StreamRejection when the client may not see it, or asks for what there is not
    public XdsResponse answer(XdsRequest request, ClientNode client, StreamGate.NodeCheck check) {
        if (check.equals(StreamGate.NodeCheck.NONE)) {
            throw StreamRejection.unauthenticated("debug information is for clients that prove who they are");
        }
        var all = pages.showsAllTo(client.namespace());
        var resources = switch (request.type().url()) {
            case SYNC -> synced(all ? "" : client.namespace());
            case DUMP -> dump(request, all ? "" : client.namespace());
            case TYPE -> List.of(text(TYPE, body(request, all)));
            default ->
                throw StreamRejection.invalid("there is no " + request.type().url());
        };
        var nonce = UUID.randomUUID().toString();
        var message = DiscoveryResponse.newBuilder()
                .setVersionInfo(nonce)
                .setNonce(nonce)
                .setTypeUrl(request.type().url())
                .addAllResources(resources)
                .setControlPlane(ControlPlane.newBuilder().setIdentifier(pages.identifier()))
                .build();
        return new XdsResponse(
                request.type(),
                nonce,
                nonce,
                resources.size(),
                0,
                System.nanoTime(),
                new ResponseFactory.Bytes(message.toByteArray()));
    }

    private String body(XdsRequest request, boolean all) {
        if (request.subscribe().size() != 1) {
            throw StreamRejection.invalid("exactly one debug page has to be named");
        }
        if (!all) {
            throw StreamRejection.denied("the debug pages are for the namespace of the control plane");
        }
        return pages.body(request.subscribe().getFirst());
    }

    /// Of an Envoy; node proxies have dumps of their own.
    ///
    /// @param namespace of the proxies to show; empty for all
    private List<Any> dump(XdsRequest request, String namespace) {
        if (request.subscribe().size() != 1) {
            throw StreamRejection.invalid("exactly one proxy has to be named, as pod.namespace");
        }
        var proxy = request.subscribe().getFirst();
        for (var connection : streams.connections()) {
            var client = connection.client();
            if (client.proxy().equals(proxy) && connection.feed().isPresent()) {
                if (!namespace.isEmpty() && !client.namespace().equals(namespace)) {
                    throw StreamRejection.denied("the configuration of a proxy is for its own namespace");
                }
                return EnvoyDump.of(client, connection.feed().get(), EnvoyDump.Endpoints.LEFT_OUT)
                        .getConfigsList();
            }
        }
        return List.of(text(DUMP, NOT_HERE));
    }

    private static Any text(String type, String body) {
        return Any.newBuilder()
                .setTypeUrl(type)
                .setValue(ByteString.copyFromUtf8(body))
                .build();
    }

    /// @param namespace of the proxies to show; empty for all
    private List<Any> synced(String namespace) {
        var rows = new ArrayList<Any>();
        for (var connection : streams.connections()) {
            var client = connection.client();
            var asks = client.metadata().getOrDefault("GENERATOR", "").equals(EVENTS);
            if (!asks && (namespace.isEmpty() || client.namespace().equals(namespace))) {
                rows.add(Any.pack(row(connection)));
            }
        }
        return rows;
    }

    private static ClientConfig row(Connection connection) {
        var client = connection.client();
        var metadata = Struct.newBuilder()
                .putFields("CLUSTER_ID", value(client.clusterId()))
                .putFields("NAMESPACE", value(client.namespace()))
                .putFields("ISTIO_VERSION", value(client.version()));
        var row = ClientConfig.newBuilder()
                .setNode(Node.newBuilder().setId(client.id()).setMetadata(metadata));
        connection.watches().stream()
                .filter(watch -> !isDebug(watch.type()))
                .forEach(watch -> row.addGenericXdsConfigs(watched(watch)));
        return row.build();
    }

    private static GenericXdsConfig watched(WatchStatus watch) {
        var config = GenericXdsConfig.newBuilder()
                .setTypeUrl(watch.type().url())
                .setVersionInfo(watch.sentVersion())
                .setConfigStatus(status(watch));
        watch.sentAt()
                .ifPresent(at -> config.setLastUpdated(
                        Timestamp.newBuilder().setSeconds(at.getEpochSecond()).setNanos(at.getNano())));
        watch.error()
                .ifPresent(error ->
                        config.setErrorState(UpdateFailureState.newBuilder().setDetails(error)));
        return config.build();
    }

    private static ConfigStatus status(WatchStatus watch) {
        if (watch.error().isPresent()) {
            return ConfigStatus.ERROR;
        }
        if (watch.sentNonce().isEmpty()) {
            return ConfigStatus.NOT_SENT;
        }
        return watch.isSynced() ? ConfigStatus.SYNCED : ConfigStatus.STALE;
    }

    private static Value value(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }
}
