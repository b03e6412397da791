// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.base.lang.Problem;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.plugin.CniException.Code;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A call of `ADD` that the plugin passes on to the node agent as the runtime made it, so that the plugin itself need
/// not read anything: a process that has just begun reads slowly.
///
/// On the wire: each variable of the environment as `NAME=value`, ended by a zero character, one more of these, and
/// then what the runtime wrote.
public final class CniHandover {
    private static final char END = '\0';
    private static final String OWN_PODS = "istio-cni-node-";
    private static final String RUN_FOLDER_KEY = "\"cni_agent_run_dir\"";

    private final CniCall call;
    private final NetworkConf conf;

    private CniHandover(CniCall call, NetworkConf conf) {
        this.call = call;
        this.conf = conf;
    }

    static String text(Map<String, String> environment, String conf) {
        var text = new StringBuilder(conf.length() + 512);
        for (var variable : CniVariable.values()) {
            var value = environment.get(variable.name());
            if (value != null) {
                text.append(variable.name()).append('=').append(value).append(END);
            }
        }
        return text.append(END).append(conf).toString();
    }

    /// Reads what [#text] wrote.
    ///
    /// @throws CniException when the runtime made a mistake
    public static CniHandover parse(String text) {
        var environment = new HashMap<String, String>();
        var at = 0;
        for (var end = text.indexOf(END, at); end > at; end = text.indexOf(END, at)) {
            var equals = text.indexOf('=', at);
            if (equals < 0 || equals > end) {
                throw new CniException(Code.DECODING_FAILURE, "a variable without a value", "");
            }
            environment.put(text.substring(at, equals), text.substring(equals + 1, end));
            at = end + 1;
        }
        if (at >= text.length() || text.charAt(at) != END) {
            throw new CniException(Code.DECODING_FAILURE, "this is not a call of a container runtime", "");
        }
        return of(CniCall.of(environment), NetworkConf.parse(text.substring(at + 1)));
    }

    static CniHandover of(CniCall call, NetworkConf conf) {
        return new CniHandover(call, conf);
    }

    /// The run folder that a network configuration names, found without reading all of it. A guess: with a wrong one
    /// nobody answers, and the plugin reads the configuration properly.
    static Path runFolder(String conf) {
        var key = conf.indexOf(RUN_FOLDER_KEY);
        var colon = key < 0 ? -1 : conf.indexOf(':', key);
        var start = colon < 0 ? -1 : conf.indexOf('"', colon) + 1;
        var end = start <= 0 ? -1 : conf.indexOf('"', start);
        return Path.of(end < 0 || conf.charAt(start) != '/' ? NetworkConf.RUN_FOLDER : conf.substring(start, end));
    }

    /// Whether there is a pod that may have to be captured. The agent's own would wait for itself; excluded namespaces
    /// come before anything that may fail.
    public boolean isAboutAPod() {
        return conf.ambient() == NetworkConf.Ambient.ENABLED
                && call.pod().isKnown()
                && !(call.pod().name().startsWith(OWN_PODS)
                        && call.pod().namespace().equals(conf.ownNamespace()))
                && !conf.excludedNamespaces().contains(call.pod().namespace());
    }

    public String podNamespace() {
        return call.pod().namespace();
    }

    public String podName() {
        return call.pod().name();
    }

    /// Empty where the runtime does not say.
    public String podUid() {
        return call.pod().uid();
    }

    /// The path of the pod's network namespace, as the host sees it.
    public String namespacePath() {
        return call.namespace();
    }

    public List<Ip> addresses() {
        return conf.previous().addresses().stream()
                .map(PreviousResult.ResultAddress::ip)
                .toList();
    }

    /// What the plugin prints when all is well.
    public String result() {
        return conf.previous().json(conf.version());
    }

    /// What the plugin prints when the pod must not start.
    public static String failure(Problem problem) {
        return new CniException(Code.OTHER, problem.message(), problem.fix()).json();
    }
}
