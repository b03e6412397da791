// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.app.http.JsonOut;
import io.fathom.app.http.Page;
import io.fathom.node.cni.audit.CaptureAudit;
import io.fathom.node.cni.audit.Finding;
import io.fathom.node.cni.audit.PodCapture;
import io.fathom.node.cni.audit.Reality;
import io.fathom.node.cni.netns.NamespaceView.ListeningSocket;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.rules.Difference;
import io.fathom.node.cni.zds.PodAnswer;
import io.fathom.node.cni.zds.ProxyView;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/// Each pod of the node: what is wanted, and what is really there at this moment.
final class CapturePage implements Page {
    private static final int LARGEST_KNOWN_PORT = 15099;
    private static final int SMALLEST_KNOWN_PORT = 15000;

    private final String node;
    private final String rules;
    private final CaptureAudit audit;
    private final Supplier<List<ProxyView>> proxies;

    /// @param rules which tool writes them
    CapturePage(String node, String rules, CaptureAudit audit, Supplier<List<ProxyView>> proxies) {
        this.node = node;
        this.rules = rules;
        this.audit = audit;
        this.proxies = proxies;
    }

    @Override
    public Reply reply(Query query) {
        var pods = audit.look();
        return Reply.json(out -> out.object(json -> json.text("node", node)
                .text("rules", rules)
                .wholeList("proxies", proxies.get(), CapturePage::proxy)
                .object("counts", counts -> counts(counts, pods))
                .wholeList("pods", pods, CapturePage::pod)));
    }

    private static void proxy(JsonOut out, ProxyView proxy) {
        out.object(json -> json.count("number", proxy.number())
                .count("pid", proxy.pid())
                .text("phase", word(proxy.phase()))
                .count("pods", proxy.pods().size()));
    }

    private static void counts(JsonOut out, List<PodCapture> pods) {
        for (var state : PodCapture.CaptureState.values()) {
            out.count(
                    word(state),
                    pods.stream().filter(pod -> pod.state() == state).count());
        }
    }

    private static void pod(JsonOut out, PodCapture pod) {
        out.object(json -> {
            json.text("namespace", pod.pod().namespace())
                    .text("name", pod.pod().name())
                    .text("uid", pod.pod().uid())
                    .text("state", word(pod.state()))
                    .object(
                            "intent",
                            intent -> intent.text(
                                            "capture",
                                            pod.wanted() == Eligibility.EligibilityVerdict.WANTED
                                                    ? "wanted"
                                                    : "unwanted")
                                    .text("reason", pod.wanted().reason()))
                    .object("reality", reality -> reality(reality, pod.reality(), pod))
                    .list("findings", pod.findings(), CapturePage::finding);
            pod.problem()
                    .ifPresent(problem -> json.object(
                            "problem",
                            it -> it.text("code", problem.code())
                                    .text("message", problem.message())
                                    .text("fix", problem.fix())));
        });
    }

    private static void reality(JsonOut out, Reality reality, PodCapture pod) {
        out.text("annotation", pod.annotation().value().orElse("absent"));
        reality.namespace().ifPresent(inode -> out.count("networkNamespace", inode));
        reality.rules().ifPresent(differences -> {
            out.text("rules", differences.isEmpty() ? "as planned" : "different");
            out.texts(
                    "differences",
                    differences.stream().map(Difference::toString).toList());
        });
        reality.listeners()
                .ifPresent(listeners -> out.texts(
                        "listeners",
                        listeners.stream()
                                .filter(it -> it.port() >= SMALLEST_KNOWN_PORT && it.port() <= LARGEST_KNOWN_PORT)
                                .sorted(Comparator.comparingInt(ListeningSocket::port)
                                        .thenComparing(ListeningSocket::protocol))
                                .map(it -> word(it.protocol()) + " " + it.port())
                                .toList()));
        out.list("proxies", reality.proxies().entrySet(), (json, entry) -> proxyAnswer(json, entry));
    }

    private static void proxyAnswer(JsonOut out, Map.Entry<Integer, PodAnswer> entry) {
        out.object(json -> json.count("number", entry.getKey())
                .text("says", word(entry.getValue().kind()))
                .text("reason", entry.getValue().reason()));
    }

    private static void finding(JsonOut out, Finding finding) {
        out.object(json -> json.text("kind", finding.kind().label()).text("what", finding.what()));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
