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
import java.util.Optional;

/// Tells the node agent of a pod that is about to start, and waits until it is captured. Anything but a clear yes is a
/// failure.
final class AgentClient {
    /// As long as upstream's plugin waits for its agent.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /// For an agent that decides: it has a queue, and giving up means to start again at its end.
    private static final Duration IN_THE_QUEUE = Duration.ofSeconds(90);

    private static final String FAILED = "istio-cni cmdAdd failed to contact node Istio CNI agent";

    private final Path socket;

    AgentClient(Path socket) {
        this.socket = socket;
    }

    /// Hands the call over. The answer is what to print, with status 200 if all is well. It is empty if there is no
    /// agent, or one that cannot tell and says something else than JSON: upstream's, or one that does not know the
    /// pod yet.
    Optional<UnixHttp.UnixHttpReply> handOver(String call) {
        try {
            var reply = post("/add", "application/octet-stream", call, IN_THE_QUEUE);
            return reply.body().startsWith("{") ? Optional.of(reply) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Has the agent capture a pod, in the words of upstream's.
    void add(PodArgs pod, String namespace, List<PreviousResult.ResultAddress> addresses) {
        UnixHttp.UnixHttpReply reply;
        try {
            reply = post("/cmdadd", "application/json", body(pod, namespace, addresses), PATIENCE);
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

    private UnixHttp.UnixHttpReply post(String path, String type, String body, Duration patience) throws IOException {
        return UnixHttp.call(socket, new HttpCall("POST", path, "unix", Map.of("content-type", type), body), patience);
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
