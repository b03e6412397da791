// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import io.fathom.wire.kube.tree.MergePatch;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;

/// The flags of `fleet init` and `fleet join`, beside those that all of `fleet` has.
public final class FleetFlags {
    static final Flag CHARTS =
            Flag.of("--charts", "DIR", "The charts. [FATHOM_CHARTS, default deploy/charts of the checkout]");
    static final Flag SERVER = Flag.of("--server", "HOST:PORT", """
            Where agents reach the management server. By default what its Service says; without Kubernetes the host of \
            --fleet.""");
    static final Flag SERVER_CONTEXT = Flag.of("--server-context", "NAME", """
            The context of the cluster that the management server runs in. Without it, it is asked at --fleet.""");
    static final Flag SERVER_NAMESPACE =
            Flag.of("--server-namespace", "NS", "The namespace of the management server. [default fathom-fleet]");
    static final Flag STATE_DIR = Flag.of("--state-dir", "DIR", """
            Without Kubernetes: the folder of the management server (init), or of the agent (join).""");
    static final Flag MANIFESTS = Flag.of("--manifests", "DIR", """
            Without Kubernetes: the folder that the control plane of the cluster reads. Gateways are written below it.""");
    static final Flag CONTROL_PLANE = Flag.of("--control-plane", "URL", """
            Without Kubernetes: the control plane of the cluster, like http://127.0.0.1:15010.""");

    /// All of them.
    public static final List<Flag> ALL = List.of(
            InstallFlags.CONTEXT,
            InstallFlags.KUBECONFIG,
            InstallFlags.NAMESPACE,
            InstallFlags.SET,
            InstallFlags.TIMEOUT,
            CHARTS,
            SERVER,
            SERVER_CONTEXT,
            SERVER_NAMESPACE,
            STATE_DIR,
            MANIFESTS,
            CONTROL_PLANE);

    private FleetFlags() {}

    static String serverNamespace(Arguments arguments) {
        return arguments.value(SERVER_NAMESPACE).orElse("fathom-fleet");
    }

    /// Values of a chart, with what `--set` says.
    static Tree values(Tree values, Arguments arguments) {
        var all = values;
        for (var text : arguments.all(InstallFlags.SET)) {
            all = MergePatch.apply(all, SetText.parse(text));
        }
        return all;
    }
}
