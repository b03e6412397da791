// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.node.cni.plugin.CniException.Code;
import io.fathom.wire.http.HttpCall;
import io.fathom.wire.http.UnixHttp;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Tells the node agent of a pod that is about to start, and waits until it is captured. Anything but a clear yes is a
/// failure.
final class AgentClient {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String FAILED = "istio-cni cmdAdd failed to contact node Istio CNI agent";

    private final Path socket;
    private final Duration patience;

    AgentClient(Path socket) {
        this(socket, PATIENCE);
    }

    AgentClient(Path socket, Duration patience) {
        this.socket = socket;
        this.patience = patience;
    }

    void add(PodArgs pod, String namespace, List<PreviousResult.ResultAddress> addresses) {
        var call = new HttpCall(
                "POST", "/cmdadd", "unix", Map.of("content-type", "application/json"), body(pod, namespace, addresses));
        UnixHttp.UnixHttpReply reply;
        try {
            reply = UnixHttp.call(socket, call, patience);
        } catch (IOException e) {
            throw new CniException(Code.OTHER, FAILED, socket + ": " + e);
        }
        if (reply.status() != 200) {
            throw new CniException(
                    Code.OTHER,
                    FAILED,
                    "status " + reply.status() + ": " + reply.body().strip());
        }
    }

    /// Names and order are those of upstream's agent.
    static String body(PodArgs pod, String namespace, List<PreviousResult.ResultAddress> addresses) {
        var entries = new LinkedHashMap<String, Object>();
        entries.put("Netns", namespace);
        entries.put("PodName", pod.name());
        entries.put("PodNamespace", pod.namespace());
        entries.put(
                "IPs",
                addresses.isEmpty()
                        ? Json.NOTHING
                        : addresses.stream().map(AgentClient::address).toList());
        return Json.compact(Json.of(entries));
    }

    private static Tree address(PreviousResult.ResultAddress address) {
        var network = new LinkedHashMap<String, Object>();
        network.put("IP", address.ip().toString());
        network.put("Mask", Base64.getEncoder().encodeToString(address.mask()));
        var entries = new LinkedHashMap<String, Object>();
        entries.put("Interface", address.device().isPresent() ? address.device().getAsInt() : Json.NOTHING);
        entries.put("Address", network);
        entries.put("Gateway", address.gateway().map(Object::toString).orElse(""));
        return Json.of(entries);
    }
}
