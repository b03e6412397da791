// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.enrol.EnrolEngine;
import io.fathom.node.cni.plugin.CniException;
import io.fathom.node.cni.plugin.CniHandover;
import io.fathom.node.cni.pods.Eligibility.EligibilityVerdict;
import io.fathom.node.cni.pods.NodePods;
import io.fathom.wire.kube.core.PodManifest;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the plugin tells of a pod that is about to start: at `/add`, where we decide whether it is to be captured, or
/// at `/cmdadd`, upstream's, where the plugin has decided. Anything but 200 keeps the pod from starting; to 503, which
/// is for pods that we have not read yet, the plugin asks the API server itself.
final class PluginDoor implements UnixHttpServer.Handler {
    private static final Logger log = LoggerFactory.getLogger(PluginDoor.class);
    private static final long PAUSE_MILLIS = 10;

    /// The paths, with how often we look for a pod: whoever has read it himself is at most a moment ahead of us.
    private enum PluginPath {
        DECIDE("/add", 500),
        CAPTURE("/cmdadd", 11);

        private final String text;
        private final int looks;

        PluginPath(String text, int looks) {
            this.text = text;
            this.looks = looks;
        }

        static Optional<PluginPath> of(String text) {
            return Stream.of(values()).filter(path -> path.text.equals(text)).findFirst();
        }
    }

    private final NodePods pods;
    private final EnrolEngine engine;
    private final String hostRoot;
    private final IntConsumer answered;

    /// @param hostRoot what stands before the paths that the plugin names
    /// @param answered told the status of each answer
    PluginDoor(NodePods pods, EnrolEngine engine, String hostRoot, IntConsumer answered) {
        this.pods = pods;
        this.engine = engine;
        this.hostRoot = hostRoot;
        this.answered = answered;
    }

    @Override
    public UnixHttpServer.UnixReply reply(UnixHttpServer.UnixRequest request, CompletableFuture<Void> gone)
            throws InterruptedException {
        var reply = answer(request, gone);
        answered.accept(reply.status());
        return reply;
    }

    private UnixHttpServer.UnixReply answer(UnixHttpServer.UnixRequest request, CompletableFuture<Void> gone)
            throws InterruptedException {
        var path = PluginPath.of(request.path());
        if (path.isEmpty()) {
            return new UnixHttpServer.UnixReply(404, "there are only /add and /cmdadd");
        }
        if (!request.method().equals("POST")) {
            return new UnixHttpServer.UnixReply(405, "use POST");
        }
        return switch (path.get()) {
            case DECIDE -> decide(request.body(), gone);
            case CAPTURE -> capture(request.body(), gone);
        };
    }

    private UnixHttpServer.UnixReply decide(String body, CompletableFuture<Void> gone) throws InterruptedException {
        try {
            var call = CniHandover.parse(body);
            if (!call.isAboutAPod()) {
                return new UnixHttpServer.UnixReply(200, call.result());
            }
            var wanted = PluginRequest.of(call);
            var pod = pod(wanted, PluginPath.DECIDE, found -> pods.knows(found.namespace()) && wanted.means(found));
            if (pod.isEmpty()) {
                return new UnixHttpServer.UnixReply(
                        503, told(wanted, unknown(wanted)).toString());
            }
            var problem = engine.verdict(pod.get()) == EligibilityVerdict.WANTED
                    ? enrol(pod.get(), wanted, gone)
                    : Optional.<Problem>empty();
            return problem.map(it -> new UnixHttpServer.UnixReply(500, CniHandover.failure(told(wanted, it))))
                    .orElseGet(() -> new UnixHttpServer.UnixReply(200, call.result()));
        } catch (CniException e) {
            return new UnixHttpServer.UnixReply(400, e.json());
        }
    }

    private UnixHttpServer.UnixReply capture(String body, CompletableFuture<Void> gone) throws InterruptedException {
        PluginRequest wanted;
        try {
            wanted = PluginRequest.parse(body);
        } catch (ProblemException e) {
            return new UnixHttpServer.UnixReply(400, e.problem().toString());
        }
        var pod = pod(wanted, PluginPath.CAPTURE, _ -> true);
        var problem = pod.isEmpty() ? Optional.of(unknown(wanted)) : enrol(pod.get(), wanted, gone);
        return problem.map(
                        it -> new UnixHttpServer.UnixReply(500, told(wanted, it).toString()))
                .orElseGet(() -> new UnixHttpServer.UnixReply(200, ""));
    }

    private static Problem told(PluginRequest wanted, Problem problem) {
        log.atWarn()
                .addKeyValue("pod", wanted.podNamespace() + "/" + wanted.podName())
                .addKeyValue("problem", problem.code())
                .log("pod cannot start: {}", problem);
        return problem;
    }

    /// The runtime may have heard of the pod before we do.
    private Optional<PodManifest> pod(PluginRequest wanted, PluginPath path, Predicate<PodManifest> usable)
            throws InterruptedException {
        for (var look = 1; ; look++) {
            var found = pods.pod(wanted.podNamespace(), wanted.podName()).filter(usable);
            if (found.isPresent() || look == path.looks) {
                return found;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private Optional<Problem> enrol(PodManifest pod, PluginRequest wanted, CompletableFuture<Void> gone) {
        var answer = engine.enrol(pod, Path.of(hostRoot + wanted.namespacePath()), wanted.addresses());
        var _ = gone.thenRun(() -> answer.cancel(false));
        try {
            return answer.join();
        } catch (CancellationException e) {
            return Optional.of(Problem.ofInput("plugin-left", "the plugin did not wait for the answer", "none"));
        }
    }

    private static Problem unknown(PluginRequest wanted) {
        return new Problem(
                "pod-unknown",
                "pod " + wanted.podNamespace() + "/" + wanted.podName() + " is not known on this node",
                "check that the agent reaches the API server, and that NODE_NAME is right",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }
}
