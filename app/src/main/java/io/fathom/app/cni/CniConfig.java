// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import static io.fathom.app.cni.CniSetting.*;

import io.fathom.app.cni.plugin.InstallSettings;
import io.fathom.app.settings.Settings;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.install.InstallConfig;
import io.fathom.node.cni.pods.Eligibility;
import io.fathom.node.cni.pods.Enablement;
import io.fathom.node.cni.rules.CaptureSettings;
import io.fathom.node.cni.rules.RuleConfig;
import io.fathom.node.cni.rules.RuleContext;
import io.fathom.tools.args.Arguments;
import io.fathom.wire.kube.api.KubeConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What one node agent needs to know before it starts.
///
/// @param installation of the plugin, for an agent that runs in the cluster which it is for
record CniConfig(
        PodSource source,
        Optional<InstallConfig> installation,
        String node,
        Eligibility eligibility,
        CaptureSettings.DnsCapture dns,
        RuleConfig rules,
        AgentPaths paths,
        Listening listening,
        Duration auditPeriod,
        AtEnd atEnd,
        String logLevel) {

    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    /// What becomes of the host's rules when the agent ends.
    enum AtEnd {
        /// They stay for the next agent if there will be one.
        KEEP,
        CLEAN_UP
    }

    /// Where pods are read from.
    ///
    /// @param manifests folders to read if there is no API server to ask
    record PodSource(List<Path> manifests, Optional<KubeConfig> kube, String systemNamespace, String ownNamespace) {
        PodSource {
            manifests = List.copyOf(manifests);
        }
    }

    /// Files and folders of the host.
    ///
    /// @param netns folder of named network namespaces; empty to find them by processes
    /// @param hostRoot what stands before a path that the host's programs name
    record AgentPaths(Path run, Path proxySocket, Optional<Path> netns, String hostRoot, Path hostProc) {}

    record Listening(Ip address, int monitoringPort, int healthPort) {}

    /// @throws ProblemException that names the flag or variable and what to write instead
    static CniConfig parse(String[] args, Map<String, String> environment) {
        return of(Settings.of(List.of(values()), Arguments.parse(flags(), args), environment));
    }

    static CniConfig of(Settings settings) {
        if (!settings.on(AMBIENT_ENABLED)) {
            throw settings.bad(AMBIENT_ENABLED, "leaves nothing to do", "leave it out: sidecars are not served here");
        }
        if (settings.text(NODE_NAME).isEmpty()) {
            throw settings.bad(NODE_NAME, "is needed", "name the node we are on");
        }
        var manifests = paths(settings, FATHOM_MANIFESTS);
        var root = settings.text(FATHOM_HOST_ROOT).isEmpty()
                ? (manifests.isEmpty() ? "/host" : "")
                : settings.text(FATHOM_HOST_ROOT).replaceAll("/+$", "");
        var proc = Path.of(root + "/proc");
        return new CniConfig(
                source(settings, manifests),
                manifests.isEmpty() && settings.text(KUBECONFIG).isEmpty()
                        ? Optional.of(InstallSettings.of(settings.environment()))
                        : Optional.empty(),
                settings.text(NODE_NAME),
                new Eligibility(
                        Enablement.parse(settings.text(AMBIENT_ENABLEMENT_SELECTOR)),
                        Set.copyOf(settings.words(EXCLUDE_NAMESPACES)),
                        settings.text(SYSTEM_NAMESPACE)),
                settings.on(AMBIENT_DNS_CAPTURE)
                        ? CaptureSettings.DnsCapture.CAPTURED
                        : CaptureSettings.DnsCapture.LEFT_ALONE,
                rules(settings, proc, manifests.isEmpty()),
                new AgentPaths(
                        Path.of(settings.text(CNI_AGENT_RUN_DIR)),
                        Path.of(settings.text(ZTUNNEL_UDS_ADDRESS)),
                        paths(settings, FATHOM_NETNS_DIR).stream().findFirst(),
                        root,
                        proc),
                new Listening(
                        ip(settings, FATHOM_LISTEN_ADDRESS),
                        settings.port(MONITORING_PORT),
                        settings.port(FATHOM_HEALTH_PORT)),
                settings.time(FATHOM_AUDIT_PERIOD),
                settings.on(AMBIENT_DISABLE_SAFE_UPGRADE) ? AtEnd.CLEAN_UP : AtEnd.KEEP,
                settings.text(FATHOM_LOG_LEVEL));
    }

    private static PodSource source(Settings settings, List<Path> manifests) {
        var system = settings.text(SYSTEM_NAMESPACE);
        var own = settings.text(POD_NAMESPACE);
        return new PodSource(
                manifests,
                manifests.isEmpty() ? Optional.of(kube(settings)) : Optional.empty(),
                system,
                own.isEmpty() ? system : own);
    }

    private static KubeConfig kube(Settings settings) {
        return settings.text(KUBECONFIG).isEmpty()
                ? KubeConfig.inCluster(settings.environment(), ACCOUNT)
                : KubeConfig.fromFile(Path.of(settings.text(KUBECONFIG)));
    }

    private static RuleConfig rules(Settings settings, Path proc, boolean inKubernetes) {
        var context = RuleContext.of(
                        settings.on(AMBIENT_IPV6) ? RuleContext.Families.V4_AND_V6 : RuleContext.Families.V4)
                .withProbes(ip(settings, HOST_PROBE_SNAT_IP), ip(settings, HOST_PROBE_SNAT_IPV6))
                .withReconcile(
                        settings.on(AMBIENT_RECONCILE_POD_RULES_ON_STARTUP)
                                ? RuleContext.Reconcile.REPAIR
                                : RuleContext.Reconcile.REFUSE);
        var rules = RuleConfig.of(context)
                .withEngine(settings.on(NATIVE_NFTABLES) ? RuleConfig.Engine.NFTABLES : RuleConfig.Engine.IPTABLES)
                .withForced(RuleConfig.IptablesKind.parse(settings.text(FORCE_IPTABLES_BINARY)));
        var visitsHost =
                settings.text(ALLOW_SWITCH_TO_HOST_NS).isEmpty() ? inKubernetes : settings.on(ALLOW_SWITCH_TO_HOST_NS);
        return visitsHost ? rules.withHost(proc.resolve("1/ns/net"), proc) : rules;
    }

    private static List<Path> paths(Settings settings, CniSetting setting) {
        return settings.words(setting).stream().map(Path::of).toList();
    }

    private static Ip ip(Settings settings, CniSetting setting) {
        return Ip.parse(settings.text(setting))
                .orElseThrow(() -> settings.bad(setting, "is no address", "give one like " + setting.fallback()));
    }

    static ProblemException failed(String code, String message, String fix) {
        return new ProblemException(new Problem(code, message, fix, Problem.Origin.SERVER, Problem.Retry.SENSIBLE));
    }
}
