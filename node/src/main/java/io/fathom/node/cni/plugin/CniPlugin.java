// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.plugin.CniException.Code;
import io.fathom.node.cni.plugin.PluginLog.PluginLogLevel;
import io.fathom.node.cni.pods.Eligibility.EligibilityVerdict;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/// The plugin that a container runtime calls after the one that gave a pod its network.
///
/// What the runtime said goes to the node agent, which knows the pods, decides and captures. Where it does not answer
/// we decide, by what the API server says, so that pods outside the mesh start all the same. A pod that is to be
/// captured and is not makes `ADD` fail, so that the runtime does not start it: also when it cannot be found out
/// whether it is to be captured. Standard output has the result or the error and nothing else. One call on one thread.
public final class CniPlugin {
    private static final int MAX_INPUT = 16 * 1024 * 1024;
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
    private static final Path OWN_NAMESPACE = Path.of("/proc/self/ns/net");

    /// Waits; tests do not.
    @FunctionalInterface
    public interface Pause {
        void sleep(Duration duration) throws InterruptedException;
    }

    /// Makes the connection to the API server that a kubeconfig names.
    @FunctionalInterface
    interface Lookups {
        PodLookup open(Path kubeconfig);
    }

    private final Map<String, String> environment;
    private final PrintStream out;
    private final PrintStream err;
    private final Pause pause;
    private final Lookups lookups;
    private final PluginLog log;

    /// A plugin for one call.
    ///
    /// @param environment with the variables of the CNI specification
    /// @param beforeLookup waits for whatever the program loads for connections to API servers
    public CniPlugin(
            Map<String, String> environment,
            PrintStream out,
            PrintStream err,
            InstantSource clock,
            Pause pause,
            Runnable beforeLookup) {
        this(environment, out, err, clock, pause, kubeconfig -> {
            beforeLookup.run();
            return new ApiPodLookup(kubeconfig);
        });
    }

    CniPlugin(
            Map<String, String> environment,
            PrintStream out,
            PrintStream err,
            InstantSource clock,
            Pause pause,
            Lookups lookups) {
        this.environment = environment;
        this.out = out;
        this.err = err;
        this.pause = pause;
        this.lookups = lookups;
        this.log = new PluginLog(clock, err);
    }

    /// Makes the call and returns the exit code: 0, or 1 when it failed.
    public int run(InputStream input) {
        if (CniCall.isByHand(environment)) {
            err.println("istio-cni: a CNI plugin, called by container runtimes. Versions: " + CniVersion.all());
            return 0;
        }
        try {
            var call = CniCall.of(environment);
            var text = new String(input.readNBytes(MAX_INPUT), StandardCharsets.UTF_8);
            if (call.verb() == CniVerb.ADD) {
                checkNamespace(call);
                var agent = new AgentClient(NetworkConf.eventSocket(CniHandover.runFolder(text)));
                var reply = agent.handOver(CniHandover.text(environment, text));
                if (reply.isPresent()) {
                    out.print(reply.get().body());
                    return reply.get().status() == 200 ? 0 : 1;
                }
            }
            out.print(call.verb() == CniVerb.VERSION ? versions() : answer(call, NetworkConf.parse(text)));
            return 0;
        } catch (CniException e) {
            return fail(e);
        } catch (IOException e) {
            return fail(new CniException(Code.OTHER, "cannot read standard input", e.toString()));
        } catch (RuntimeException e) { // a bug of ours must not let a pod through either
            return fail(new CniException(Code.OTHER, "istio-cni failed", e.toString()));
        } finally {
            out.flush();
        }
    }

    private int fail(CniException e) {
        out.print(e.json());
        return 1;
    }

    private static String versions() {
        var entries = new LinkedHashMap<String, Object>();
        entries.put("cniVersion", CniVersion.NEWEST.toString());
        entries.put("supportedVersions", CniVersion.all());
        return Json.pretty(Json.of(entries));
    }

    private String answer(CniCall call, NetworkConf conf) {
        var verb = call.verb();
        if (conf.version().compareTo(verb.since()) < 0) {
            throw new CniException(Code.INCOMPATIBLE_VERSION, "config version does not allow " + verb, "");
        }
        if (verb != CniVerb.ADD) {
            return "";
        }
        log.level(PluginLogLevel.of(conf.logLevel()));
        try {
            add(call, conf);
            return conf.previous().json(conf.version());
        } catch (CniException e) {
            log.log(PluginLogLevel.ERROR, "pod " + call.pod() + " is not started: " + e.message());
            throw e;
        } catch (ProblemException e) {
            log.log(PluginLogLevel.ERROR, "pod " + call.pod() + " is not started: " + e.problem());
            throw new CniException(
                    Code.OTHER, e.problem().message(), e.problem().fix());
        } catch (MisreadException e) {
            log.log(PluginLogLevel.ERROR, "pod " + call.pod() + " is not started: " + e.getMessage());
            throw new CniException(
                    Code.DECODING_FAILURE, "failed to parse network configuration", String.valueOf(e.getMessage()));
        } finally {
            log.deliver(conf.logFile(), conf.logSocket());
        }
    }

    private static void checkNamespace(CniCall call) {
        try {
            var own = Files.readAttributes(OWN_NAMESPACE, "unix:dev,ino");
            if (call.ownNamespace() == CniCall.OwnNamespace.REFUSED
                    && own.equals(Files.readAttributes(Path.of(call.namespace()), "unix:dev,ino"))) {
                throw new CniException(
                        Code.INVALID_NAMESPACE, "CNI_NETNS is the network namespace of the plugin itself", "");
            }
        } catch (IOException e) {
            // Not there, or not for us to see: the agent will tell if it matters.
        }
    }

    /// For lack of an agent that decides.
    private void add(CniCall call, NetworkConf conf) {
        var pod = call.pod();
        if (!CniHandover.of(call, conf).isAboutAPod()) {
            log.log(PluginLogLevel.DEBUG, "nothing to do for " + (pod.isKnown() ? "pod " + pod : "what is no pod"));
            return;
        }
        log.log(PluginLogLevel.WARN, "the agent does not decide about pod " + pod + ", so the API server is asked");
        if (isToBeCaptured(pod, conf)) {
            var agent = new AgentClient(NetworkConf.eventSocket(conf.runFolder()));
            agent.add(pod, call.namespace(), conf.previous().addresses());
            log.log(PluginLogLevel.INFO, "pod " + pod + " is captured");
        }
    }

    private boolean isToBeCaptured(PodArgs pod, NetworkConf conf) {
        try (var lookup = lookups.open(conf.kubeconfig())) {
            var found = find(lookup, pod, conf.detectionRetry().times());
            var verdict =
                    conf.eligibility().verdict(found.pod(), found.namespace().labels());
            if (verdict != EligibilityVerdict.WANTED) {
                log.log(PluginLogLevel.DEBUG, "pod " + pod + " is not to be captured: " + verdict.reason());
            }
            return verdict == EligibilityVerdict.WANTED;
        }
    }

    /// Pods that were just made may be unknown for a moment, and API servers restart.
    private PodLookup.Found find(PodLookup lookup, PodArgs pod, int retries) {
        for (var left = retries; ; left--) {
            try {
                return lookup.find(pod);
            } catch (ProblemException e) {
                if (left == 0) {
                    throw e;
                }
                log.log(
                        PluginLogLevel.WARN,
                        "asking again for pod " + pod + ": " + e.problem().message());
                sleep(e);
            }
        }
    }

    private void sleep(ProblemException reason) {
        try {
            pause.sleep(BETWEEN_TRIES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw reason;
        }
    }
}
