// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.audit;

import io.fathom.node.cni.audit.Finding.CaptureFault;
import io.fathom.node.cni.enrol.HeldPod;
import io.fathom.node.cni.enrol.PodState;
import io.fathom.node.cni.enrol.Step;
import io.fathom.node.cni.netns.NamespaceView.ListeningSocket;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.node.cni.rules.CaptureSettings;
import io.fathom.node.cni.zds.PodAnswer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Tells what is wrong with a pod, from what is wanted and what was found. Pure.
final class Judge {
    private static final List<Integer> PROXY_PORTS = List.of(15001, 15006, 15008);
    private static final int DNS_PORT = 15053;

    private Judge() {}

    /// Whether there is any proxy that could serve pods.
    enum ConnectedProxies {
        CONNECTED,
        NONE
    }

    static PodCapture judge(PodState pod, Reality reality, ConnectedProxies proxies) {
        var wanted =
                pod.verdict() == Eligibility.EligibilityVerdict.WANTED && pod.existence() == PodState.Existence.RUNNING;
        var findings = wanted ? wanted(pod, reality, proxies) : unwanted(pod);
        return new PodCapture(
                pod.pod(),
                pod.verdict(),
                pod.noted(),
                reality,
                wanted
                        ? state(pod, findings, proxies)
                        : findings.isEmpty() ? PodCapture.CaptureState.OUTSIDE : PodCapture.CaptureState.BROKEN,
                findings,
                pod.problem());
    }

    private static List<Finding> unwanted(PodState pod) {
        return pod.held().isPresent() || pod.noted() != Redirection.ABSENT
                ? List.of(
                        new Finding(CaptureFault.LEFTOVER, "it is captured, although " + reason(pod), Optional.empty()))
                : List.of();
    }

    private static String reason(PodState pod) {
        return pod.existence() == PodState.Existence.FINISHED
                ? "it has finished"
                : pod.verdict().reason();
    }

    private static List<Finding> wanted(PodState pod, Reality reality, ConnectedProxies proxies) {
        if (pod.held().isEmpty()) {
            return pod.problem().isPresent() || pod.noted() == Redirection.ENABLED
                    ? List.of(new Finding(CaptureFault.NAMESPACE, "it is not captured", Optional.empty()))
                    : List.of();
        }
        var held = pod.held().get();
        var findings = new ArrayList<Finding>();
        if (held.namespace().isEmpty()) {
            findings.add(new Finding(
                    CaptureFault.NAMESPACE, "its network namespace is not known", Optional.of(Step.NAMESPACE)));
        }
        reality.rules()
                .filter(differences -> !differences.isEmpty())
                .ifPresent(differences -> findings.add(new Finding(
                        CaptureFault.RULES,
                        "its rules differ: " + differences.getFirst() + more(differences.size() - 1),
                        Optional.of(Step.NAMESPACE))));
        if (proxies == ConnectedProxies.CONNECTED) {
            proxy(reality).ifPresent(findings::add);
            reality.listeners().ifPresent(found -> listeners(held, found, findings));
        }
        if (held.namespace().isPresent() && isComplete(held) && pod.noted() != Redirection.ENABLED) {
            findings.add(new Finding(
                    CaptureFault.ANNOTATION, "its annotation does not say that it is captured", Optional.empty()));
        }
        return findings;
    }

    private static boolean isComplete(HeldPod held) {
        return held.step() == Step.NOTED;
    }

    private static String more(int others) {
        return others > 0 ? ", and " + others + " more" : "";
    }

    /// One proxy that serves it is enough: during an upgrade the older one does, too.
    private static Optional<Finding> proxy(Reality reality) {
        var answers = reality.proxies().values();
        if (answers.stream().anyMatch(answer -> answer.kind() != PodAnswer.AnswerKind.REFUSED)) {
            return Optional.empty();
        }
        var reason = answers.stream().map(PodAnswer::reason).findFirst().orElse("none was asked to");
        return Optional.of(
                new Finding(CaptureFault.PROXY, "no node proxy serves it: " + reason, Optional.of(Step.RULES)));
    }

    private static void listeners(HeldPod held, Set<ListeningSocket> listeners, List<Finding> findings) {
        var missing = PROXY_PORTS.stream()
                .filter(port -> !listeners.contains(new ListeningSocket(ListeningSocket.Protocol.TCP, port)))
                .map(String::valueOf)
                .toList();
        if (!missing.isEmpty()) {
            findings.add(new Finding(
                    CaptureFault.LISTENERS,
                    "nobody listens in it on " + String.join(", ", missing),
                    Optional.of(Step.RULES)));
        } else if (held.settings().dns() == CaptureSettings.DnsCapture.CAPTURED && !answersDns(listeners)) {
            findings.add(new Finding(
                    CaptureFault.DNS, "its DNS is captured, but nobody answers it on " + DNS_PORT, Optional.empty()));
        }
    }

    private static boolean answersDns(Set<ListeningSocket> listeners) {
        return Arrays.stream(ListeningSocket.Protocol.values())
                .allMatch(protocol -> listeners.contains(new ListeningSocket(protocol, DNS_PORT)));
    }

    private static PodCapture.CaptureState state(PodState pod, List<Finding> findings, ConnectedProxies proxies) {
        if (findings.stream().anyMatch(finding -> finding.kind() != CaptureFault.ANNOTATION)) {
            return PodCapture.CaptureState.BROKEN;
        }
        if (pod.held().isEmpty()) {
            return PodCapture.CaptureState.PENDING;
        }
        return proxies == ConnectedProxies.NONE || !pod.held().get().step().includes(Step.PROXY)
                ? PodCapture.CaptureState.UNSERVED
                : PodCapture.CaptureState.CAPTURED;
    }
}
