// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.Problem;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.posix.PosixException;
import io.fathom.model.mesh.PodResolver;
import io.fathom.node.cni.audit.Finding.CaptureFault;
import io.fathom.node.cni.audit.PodCapture.CaptureState;
import io.fathom.node.cni.enrol.HeldPod;
import io.fathom.node.cni.enrol.PodName;
import io.fathom.node.cni.enrol.PodState;
import io.fathom.node.cni.enrol.Step;
import io.fathom.node.cni.netns.NamespaceView.ListeningSocket;
import io.fathom.node.cni.netns.NamespaceView.ListeningSocket.Protocol;
import io.fathom.node.cni.pods.Eligibility.EligibilityVerdict;
import io.fathom.node.cni.pods.Redirection;
import io.fathom.node.cni.rules.CaptureSettings;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.Difference;
import io.fathom.node.cni.zds.PodAnswer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class JudgeTest {
    private static final PodName POD = new PodName("u", "shop", "web", "account", PodResolver.NONE);
    private static final Set<ListeningSocket> ALL = Set.of(
            new ListeningSocket(Protocol.TCP, 15001),
            new ListeningSocket(Protocol.TCP, 15006),
            new ListeningSocket(Protocol.TCP, 15008),
            new ListeningSocket(Protocol.TCP, 15053),
            new ListeningSocket(Protocol.UDP, 15053));
    private static final Set<ListeningSocket> NO_DNS = Set.of(
            new ListeningSocket(Protocol.TCP, 15001),
            new ListeningSocket(Protocol.TCP, 15006),
            new ListeningSocket(Protocol.TCP, 15008));
    private static final PodAnswer SERVED = new PodAnswer(PodAnswer.AnswerKind.SERVED, "");
    private static final PodAnswer REFUSED = new PodAnswer(PodAnswer.AnswerKind.REFUSED, "port is taken");
    private static final Difference LOST = new Difference(Difference.DifferenceKind.MISSING, "IPv4 nat", "-j REDIRECT");
    private static final Reality GOOD = reality(List.of(), ALL, Map.of(1, SERVED));
    private static final Problem PROBLEM = new Problem("p", "m", "f", Problem.Origin.SERVER, Problem.Retry.SENSIBLE);

    private static Reality reality(
            List<Difference> rules, Set<ListeningSocket> listeners, Map<Integer, PodAnswer> proxies) {
        return new Reality(Optional.of(4711L), Optional.of(rules), Optional.of(listeners), proxies);
    }

    private static Optional<HeldPod> held(Step step, DnsCapture dns) {
        try {
            var namespace = NetworkNamespace.current();
            namespace.close(); // only whether there is one counts
            return Optional.of(new HeldPod(POD, Optional.of(namespace), CaptureSettings.of(dns), Set.of(), step));
        } catch (PosixException e) {
            throw new IllegalStateException(e);
        }
    }

    private static PodState pod(EligibilityVerdict verdict, Redirection noted, Optional<HeldPod> held) {
        return new PodState(POD, verdict, noted, PodState.Existence.RUNNING, held, Optional.empty());
    }

    static Stream<Arguments> pods() {
        var complete = held(Step.NOTED, DnsCapture.CAPTURED);
        var captured = pod(EligibilityVerdict.WANTED, Redirection.ENABLED, complete);
        var unknown = new HeldPod(POD, Optional.empty(), CaptureSettings.of(DnsCapture.CAPTURED), Set.of(), Step.NOTED);
        return Stream.of(
                argumentSet("all is well", captured, GOOD, CaptureState.CAPTURED, List.of()),
                argumentSet(
                        "rules are gone",
                        captured,
                        reality(List.of(LOST), ALL, Map.of(1, SERVED)),
                        CaptureState.BROKEN,
                        List.of(CaptureFault.RULES)),
                argumentSet(
                        "nobody listens",
                        captured,
                        reality(List.of(), Set.of(), Map.of(1, SERVED)),
                        CaptureState.BROKEN,
                        List.of(CaptureFault.LISTENERS)),
                argumentSet(
                        "nobody answers DNS that is captured",
                        captured,
                        reality(List.of(), NO_DNS, Map.of(1, SERVED)),
                        CaptureState.BROKEN,
                        List.of(CaptureFault.DNS)),
                argumentSet(
                        "nobody answers DNS that is not",
                        pod(EligibilityVerdict.WANTED, Redirection.ENABLED, held(Step.NOTED, DnsCapture.LEFT_ALONE)),
                        reality(List.of(), NO_DNS, Map.of(1, SERVED)),
                        CaptureState.CAPTURED,
                        List.of()),
                argumentSet(
                        "refused by the only proxy",
                        captured,
                        reality(List.of(), ALL, Map.of(1, REFUSED)),
                        CaptureState.BROKEN,
                        List.of(CaptureFault.PROXY)),
                argumentSet(
                        "refused by one, served by the other",
                        captured,
                        reality(List.of(), ALL, Map.of(1, SERVED, 2, REFUSED)),
                        CaptureState.CAPTURED,
                        List.of()),
                argumentSet(
                        "no proxy ever heard of it",
                        captured,
                        reality(List.of(), ALL, Map.of()),
                        CaptureState.BROKEN,
                        List.of(CaptureFault.PROXY)),
                argumentSet(
                        "its annotation is lost",
                        pod(EligibilityVerdict.WANTED, Redirection.ABSENT, complete),
                        GOOD,
                        CaptureState.CAPTURED,
                        List.of(CaptureFault.ANNOTATION)),
                argumentSet(
                        "its namespace was not found",
                        pod(EligibilityVerdict.WANTED, Redirection.ENABLED, Optional.of(unknown)),
                        new Reality(Optional.empty(), Optional.empty(), Optional.empty(), Map.of(1, SERVED)),
                        CaptureState.BROKEN,
                        List.of(CaptureFault.NAMESPACE)),
                argumentSet(
                        "said to be captured, and is not",
                        pod(EligibilityVerdict.WANTED, Redirection.ENABLED, Optional.empty()),
                        Reality.NOTHING,
                        CaptureState.BROKEN,
                        List.of(CaptureFault.NAMESPACE)),
                argumentSet(
                        "could not be captured",
                        new PodState(
                                POD,
                                EligibilityVerdict.WANTED,
                                Redirection.ABSENT,
                                PodState.Existence.RUNNING,
                                Optional.empty(),
                                Optional.of(PROBLEM)),
                        Reality.NOTHING,
                        CaptureState.BROKEN,
                        List.of(CaptureFault.NAMESPACE)),
                argumentSet(
                        "not started yet",
                        pod(EligibilityVerdict.WANTED, Redirection.ABSENT, Optional.empty()),
                        Reality.NOTHING,
                        CaptureState.PENDING,
                        List.of()),
                argumentSet(
                        "not wanted, but captured",
                        pod(EligibilityVerdict.NOT_SELECTED, Redirection.ENABLED, complete),
                        GOOD,
                        CaptureState.BROKEN,
                        List.of(CaptureFault.LEFTOVER)),
                argumentSet(
                        "not wanted",
                        pod(EligibilityVerdict.NOT_SELECTED, Redirection.ABSENT, Optional.empty()),
                        Reality.NOTHING,
                        CaptureState.OUTSIDE,
                        List.of()));
    }

    @ParameterizedTest
    @MethodSource("pods")
    void whenAPodIsJudged(PodState pod, Reality reality, CaptureState want, List<CaptureFault> findings) {
        var capture = Judge.judge(pod, reality, Judge.ConnectedProxies.CONNECTED);
        assertThat(capture.state()).isEqualTo(want);
        assertThat(capture.findings()).extracting(Finding::kind).isEqualTo(findings);
    }

    @Test
    void givenNoProxy_thenPodsAreUnservedAndNotBroken() {
        var captured = pod(EligibilityVerdict.WANTED, Redirection.ENABLED, held(Step.NOTED, DnsCapture.CAPTURED));
        var capture = Judge.judge(captured, reality(List.of(), Set.of(), Map.of()), Judge.ConnectedProxies.NONE);
        assertThat(capture.state()).isEqualTo(CaptureState.UNSERVED);
        assertThat(capture.findings()).isEmpty();
    }
}
