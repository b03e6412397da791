// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.JsonOut;
import io.fathom.app.http.Page;
import io.fathom.node.identity.CertificateDump;
import io.fathom.node.identity.CertificateState;
import io.fathom.node.inpod.PodStatus;
import io.fathom.node.proxy.OpenConnection;
import io.fathom.node.proxy.pod.ServedPod;
import io.fathom.node.state.DumpWriter;
import io.fathom.wire.xds.client.TypeStatus;
import io.fathom.wire.zds.PodInfo;
import java.util.List;
import java.util.function.Supplier;

/// `GET /config_dump`: everything the proxy knows and does, in upstream's shape, which istioctl reads, plus
/// `xdsVersions`. With `?level=warn` only what is not in order: pods that are not served, certificates that are not
/// available, types of resources of which something was refused or nothing has come.
record NodeDumpPage(MeshLink mesh, Supplier<List<PodStatus>> pods, ZtunnelConfig config, BuildInfo build)
        implements Page {
    @Override
    public Reply reply(Query query) {
        return query.parameters().getOrDefault("level", "").equals("warn")
                ? Reply.json(json -> json.object(this::warnings))
                : Reply.json(json -> json.object(this::dump));
    }

    private void warnings(JsonOut json) {
        json.fields(out -> new CertificateDump(out)
                .write(mesh.certificates().states().stream()
                        .filter(state -> state.stage() != CertificateState.Stage.AVAILABLE)
                        .toList()));
        json.object(
                "workloadState",
                states -> pods.get().stream()
                        .filter(PodStatus.Pending.class::isInstance)
                        .forEach(pod -> states.object(pod.pod().uid(), at -> pod(at, pod))));
        json.object(
                "xdsVersions",
                versions -> mesh.state().xdsStatuses().forEach((type, status) -> {
                    if (status.lastRejection().isPresent() || status.nonce().isEmpty()) {
                        versions.object(type, fields -> version(fields, status));
                    }
                }));
    }

    private void dump(JsonOut json) {
        var view = mesh.state().view();
        json.fields(out -> new DumpWriter(out).write(view));
        json.object("staticConfig", _ -> {});
        json.object(
                "version",
                fields -> fields.text("version", build.version())
                        .text("git_revision", build.revision())
                        .text("build_status", build.status()));
        json.object("config", this::config);
        json.fields(out -> new CertificateDump(out).write(mesh.certificates().states()));
        json.object(
                "workloadState",
                states -> pods.get().forEach(pod -> states.object(pod.pod().uid(), at -> pod(at, pod))));
        json.object(
                "xdsVersions",
                versions -> mesh.state()
                        .xdsStatuses()
                        .forEach((type, status) -> versions.object(type, fields -> version(fields, status))));
    }

    private static void version(JsonOut fields, TypeStatus status) {
        fields.text("systemVersion", status.systemVersion())
                .text("nonce", status.nonce())
                .number("held", status.held())
                .number("rejected", status.rejected());
        status.lastRejection().ifPresent(error -> fields.text("lastError", error));
    }

    private void config(JsonOut out) {
        out.text("clusterId", config.place().clusterId())
                .text("clusterDomain", config.place().clusterDomain())
                .text("network", config.place().network())
                .text("localNode", config.place().node().orElse(""))
                .number("numWorkerThreads", config.process().threads())
                .number("poolMaxStreamsPerConn", config.tunnels().streamsPerConnection())
                .number("windowSize", config.tunnels().windows().stream())
                .number("connectionWindowSize", config.tunnels().windows().connection())
                .number("frameSize", config.tunnels().windows().frame())
                .flag("dnsProxy", config.dns().enabled());
    }

    private static void pod(JsonOut out, PodStatus status) {
        switch (status) {
            case PodStatus.Up(var pod, var proxy) -> {
                out.text("state", "Up").object("info", info -> info(info, pod));
                if (proxy instanceof ServedPod served) {
                    var shown = served.ledger().shown();
                    out.object(
                            "connections",
                            connections -> connections
                                    .wholeList(
                                            "inbound",
                                            of(shown, OpenConnection.Direction.INBOUND),
                                            NodeDumpPage::connection)
                                    .wholeList(
                                            "outbound",
                                            of(shown, OpenConnection.Direction.OUTBOUND),
                                            NodeDumpPage::connection));
                }
            }
            case PodStatus.Pending(var pod, var problem) ->
                out.text("state", "Pending")
                        .object("info", info -> info(info, pod))
                        .text("problem", problem.toString());
        }
    }

    private static void info(JsonOut out, PodInfo pod) {
        out.text("name", pod.name()).text("namespace", pod.namespace()).text("serviceAccount", pod.serviceAccount());
    }

    private static List<OpenConnection.Shown> of(List<OpenConnection.Shown> all, OpenConnection.Direction direction) {
        return all.stream().filter(one -> one.direction() == direction).toList();
    }

    private static void connection(JsonOut out, OpenConnection.Shown one) {
        out.object(fields -> {
            fields.text("src", one.source().toString());
            one.originalDestination().ifPresent(target -> fields.text("originalDst", target));
            fields.text("actualDst", one.actualDestination().toString())
                    .text("protocol", one.protocol().name());
        });
    }
}
