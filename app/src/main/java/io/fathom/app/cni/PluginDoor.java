// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.enrol.EnrolEngine;
import io.fathom.node.cni.pods.NodePods;
import io.fathom.wire.kube.core.PodManifest;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the plugin asks for a pod to be captured before it starts. Anything but 200 keeps the pod from starting.
final class PluginDoor implements UnixHttpServer.Handler {
    private static final Logger log = LoggerFactory.getLogger(PluginDoor.class);
    private static final int LOOKS = 11;
    private static final long PAUSE_MILLIS = 10;

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
        if (!request.path().equals("/cmdadd")) {
            return new UnixHttpServer.UnixReply(404, "there is only /cmdadd");
        }
        if (!request.method().equals("POST")) {
            return new UnixHttpServer.UnixReply(405, "use POST");
        }
        PluginRequest wanted;
        try {
            wanted = PluginRequest.parse(request.body());
        } catch (ProblemException e) {
            return new UnixHttpServer.UnixReply(400, e.problem().toString());
        }
        var pod = pod(wanted);
        var problem = pod.isEmpty() ? Optional.of(unknown(wanted)) : enrol(pod.get(), wanted, gone);
        problem.ifPresent(it -> log.atWarn()
                .addKeyValue("pod", wanted.podNamespace() + "/" + wanted.podName())
                .addKeyValue("problem", it.code())
                .log("pod cannot start: {}", it));
        return problem.map(it -> new UnixHttpServer.UnixReply(500, it.toString()))
                .orElseGet(() -> new UnixHttpServer.UnixReply(200, ""));
    }

    /// The plugin may have heard of the pod a moment before we do.
    private Optional<PodManifest> pod(PluginRequest wanted) throws InterruptedException {
        var found = Optional.<PodManifest>empty();
        for (var look = 1; look <= LOOKS && found.isEmpty(); look++) {
            found = pods.pod(wanted.podNamespace(), wanted.podName());
            if (found.isEmpty() && look < LOOKS) {
                Thread.sleep(PAUSE_MILLIS);
            }
        }
        return found;
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
