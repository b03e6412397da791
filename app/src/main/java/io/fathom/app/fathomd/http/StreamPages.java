// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.http.JsonOut;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.control.envoy.extension.EnvoyJson;
import io.fathom.wire.xds.debug.EnvoyDump;
import io.fathom.wire.xds.debug.EnvoyDump.Endpoints;
import io.fathom.wire.xds.stream.Connection;
import io.fathom.wire.xds.stream.StreamTable;
import io.fathom.wire.xds.stream.WatchStatus;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The pages about connected clients: who they are, what they subscribe to, what they have got and accepted.
public final class StreamPages {
    private static final String NOT_HERE =
            "Proxy not connected to this Pilot instance. It may be connected to another instance.";
    private static final String WHICH = "You must provide a proxyID in the query string";

    private final StreamTable streams;
    private final MeshPages mesh;

    public StreamPages(StreamTable streams, MeshPages mesh) {
        this.streams = streams;
        this.mesh = mesh;
    }

    public void addTo(Pages pages) {
        pages.debug("syncz", "What each client was sent and has accepted", _ -> syncz())
                .debug("adsz", "Connected clients and their subscriptions", this::adsz)
                .debug("connections", "Connected clients", this::adsz)
                .debug(
                        "config_dump",
                        "What one client is served: ?proxyID=name.namespace[&types=wds,wads][&include_eds]",
                        this::configDump);
    }

    private Page.Reply syncz() {
        return Page.Reply.json(json ->
                json.list(streams.connections(), (out, connection) -> out.object(it -> synced(it, connection))));
    }

    private static void synced(JsonOut json, Connection connection) {
        var client = connection.client();
        json.text("cluster_id", client.clusterId())
                .text("proxy", client.proxy())
                .text("proxy_type", client.type().name().toLowerCase(Locale.ROOT))
                .text("istio_version", client.version())
                .object(
                        "resources",
                        resources -> connection
                                .watches()
                                .forEach(watch -> resources.object(watch.type().url(), it -> watched(it, watch))));
    }

    private static void watched(JsonOut json, WatchStatus watch) {
        json.text("status", status(watch))
                .text("sent", watch.sentNonce())
                .text("acked", watch.ackedNonce())
                .text("version", watch.sentVersion())
                .text("sentTime", watch.sentAt().map(Instant::toString).orElse(""))
                .text("lastError", watch.error().orElse(""))
                .number("responses", watch.responsesSent())
                .number("resourcesSent", watch.resourcesSent())
                .number("bytes", watch.bytesSent())
                .number("refused", watch.refused());
    }

    /// istioctl's words.
    private static String status(WatchStatus watch) {
        if (watch.error().isPresent()) {
            return "ERROR";
        }
        if (watch.sentNonce().isEmpty()) {
            return "NOT SENT";
        }
        return watch.isSynced() ? "SYNCED" : "STALE";
    }

    private Page.Reply adsz(Page.Query query) {
        var proxy = query.parameter("proxyID");
        var shown = proxy.map(this::matching).orElseGet(streams::connections);
        if (proxy.isPresent() && shown.isEmpty()) {
            return Page.Reply.text(404, NOT_HERE);
        }
        return Page.Reply.json(json -> json.object(out -> out.count("totalClients", shown.size())
                .list("clients", shown, (list, connection) -> list.object(it -> connected(it, connection)))));
    }

    private static void connected(JsonOut json, Connection connection) {
        json.text("connectionId", connection.id())
                .text("connectedAt", connection.connectedAt().toString())
                .text("address", connection.peer())
                .text("protocol", connection.protocol().name())
                .texts("labels", connection.client().labels())
                .texts("metadata", connection.client().metadata())
                .object(
                        "watches",
                        watches -> connection
                                .watches()
                                .forEach(watch -> watches.wholeList(watch.type().url(), names(watch), JsonOut::value)));
    }

    /// Wildcards have no names; of single subscriptions only their number is kept for this page.
    private static List<String> names(WatchStatus watch) {
        return watch.scope() == WatchStatus.Scope.WILDCARD ? List.of("*") : List.of(watch.names() + " names");
    }

    private Page.Reply configDump(Page.Query query) {
        var proxy = query.parameter("proxyID").filter(id -> !id.isEmpty());
        if (proxy.isEmpty()) {
            return Page.Reply.text(400, WHICH);
        }
        var found = matching(proxy.get());
        if (found.isEmpty()) {
            return Page.Reply.text(404, NOT_HERE);
        }
        var connection = found.getFirst();
        var endpoints = query.parameter("include_eds").isPresent() ? Endpoints.INCLUDED : Endpoints.LEFT_OUT;
        return connection
                .feed()
                .map(feed -> EnvoyJson.of(EnvoyDump.of(connection.client(), feed, endpoints)))
                .<Page.Reply>map(text -> new Page.Reply.Text(200, "application/json", text))
                .orElseGet(() -> mesh.configDump(labels(connection, query.parameter("types"))));
    }

    /// The types the client watches, or those of them that were asked for.
    private static List<String> labels(Connection connection, Optional<String> wanted) {
        return connection.watches().stream()
                .map(watch -> watch.type().label())
                .filter(label ->
                        wanted.isEmpty() || List.of(wanted.get().split(",", -1)).contains(label))
                .distinct()
                .toList();
    }

    /// Containment, as upstream has it.
    private List<Connection> matching(String proxy) {
        return streams.connections().stream()
                .filter(connection -> connection.id().contains(proxy))
                .toList();
    }
}
