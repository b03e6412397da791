// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.plugin.CniHandover;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.ArrayList;
import java.util.List;

/// What the plugin asks for: a pod that is about to start, its namespace as the host names it, and the addresses that
/// the network has given it.
///
/// @param podUid empty where the runtime does not say
record PluginRequest(String namespacePath, String podName, String podNamespace, String podUid, List<Ip> addresses) {
    /// The kubelet's own pods have another UID on the API server than for the runtime.
    private static final String STATIC = "kubernetes.io/config.mirror";

    PluginRequest {
        addresses = List.copyOf(addresses);
    }

    static PluginRequest parse(String body) throws ProblemException {
        var documents = Documents.ofJson("the request", body, Limits.DEFAULT);
        if (documents.size() != 1) {
            throw bad("it is empty, or more than one value");
        }
        try {
            return switch (documents.getFirst()) {
                case Document.Parsed parsed -> read(Field.root(parsed.root()));
                case Document.Broken broken -> throw broken.cause();
            };
        } catch (MisreadException e) {
            throw bad(String.valueOf(e.getMessage()));
        }
    }

    private static PluginRequest read(Field root) {
        var addresses = new ArrayList<Ip>();
        for (var item : root.at("IPs").items()) {
            var text = item.at("Address").at("IP").text();
            addresses.add(Ip.parse(text).map(Ip::unmapped).orElseThrow(() -> bad("\"" + text + "\" is no address")));
        }
        return new PluginRequest(
                root.at("Netns").requiredText(),
                root.at("PodName").requiredText(),
                root.at("PodNamespace").requiredText(),
                "",
                addresses);
    }

    static PluginRequest of(CniHandover call) {
        return new PluginRequest(
                call.namespacePath(), call.podName(), call.podNamespace(), call.podUid(), call.addresses());
    }

    /// Whether this is about that pod, and not about an earlier one of the same name.
    boolean means(PodManifest pod) {
        return podUid.isEmpty()
                || podUid.equals(pod.metadata().uid())
                || pod.annotations().containsKey(STATIC);
    }

    private static ProblemException bad(String reason) {
        return new ProblemException(Problem.ofInput(
                "bad-plugin-request",
                "the plugin's request cannot be used: " + reason,
                "use the plugin of this agent"));
    }
}
