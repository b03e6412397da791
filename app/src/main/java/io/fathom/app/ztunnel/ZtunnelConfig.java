// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.settings.Settings;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.routing.InboundConfig;
import io.fathom.model.routing.ProxyPorts;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.node.socket.Keepalive;
import io.fathom.node.socket.SocketConfig;
import io.fathom.tools.args.Arguments;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.tls.TlsPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.event.Level;

/// What one node proxy needs to know before it starts.
///
/// @param dedicated the one workload that it is for; empty for all pods of the node
record ZtunnelConfig(
        Optional<DedicatedTo> dedicated,
        XdsConfig mesh,
        CertificateConfig certificates,
        NodePlace place,
        Own own,
        HboneLimits tunnels,
        PodCapture capture,
        ProxyConfig proxy,
        TlsConfig tls,
        DnsConfig dns,
        ProcessConfig process) {

    /// The workload of a dedicated proxy.
    record DedicatedTo(String namespace, String name, String serviceAccount) {}

    /// Where the mesh comes from.
    ///
    /// @param xds empty for a file only
    /// @param local workloads, services and policies besides those of the control plane
    /// @param metadata told to the control plane, and further entries that are JSON
    record XdsConfig(
            Optional<ServerConfig> xds,
            Optional<LocalXds> local,
            XdsSubscription subscription,
            Map<String, String> metadata,
            Map<String, String> jsonMetadata) {
        XdsConfig {
            metadata = Map.copyOf(metadata);
            jsonMetadata = Map.copyOf(jsonMetadata);
        }
    }

    /// Where certificates come from, how long they are to last, and where those that are revoked are listed.
    record CertificateConfig(Optional<ServerConfig> authority, Duration lifetime, Optional<Path> revocations) {}

    /// Where we run.
    ///
    /// @param node empty if every workload counts as local
    /// @param preferredNamespace whose services count first where names are ambiguous
    record NodePlace(
            String clusterId, String clusterDomain, String network, Optional<String> node, String preferredNamespace) {}

    /// How the traffic of pods reaches us.
    ///
    /// @param agent the socket by which the node agent tells of pods
    record PodCapture(Path agent, SocketConfig sockets, Socks socks, PodTraffic traffic) {}

    /// The process itself.
    ///
    /// @param termination how long connections may go on after the order to stop
    record ProcessConfig(int threads, Duration termination, ProcessPorts ports, Logging logging) {}

    /// Where a static mesh is written.
    sealed interface LocalXds {
        record InFile(Path file) implements LocalXds {}

        record Inline(String yaml) implements LocalXds {}
    }

    /// Who we are ourselves; what is not known is empty.
    record Own(String ip, String pod, String namespace, String serviceAccount, String trustDomain) {}

    enum XdsSubscription {
        EVERYTHING,
        ON_DEMAND
    }

    /// Whether pods may speak SOCKS5.
    enum Socks {
        OFF,
        ON
    }

    /// Whether the traffic of pods is carried, or only their DNS answered.
    enum PodTraffic {
        CARRIED,
        LEFT_ALONE
    }

    /// What is negotiated with other proxies, and the trust domains besides our own whose clients we serve.
    record TlsConfig(TlsPolicy policy, Set<String> aliases) {
        TlsConfig {
            aliases = Set.copyOf(aliases);
        }
    }

    /// Whether to answer DNS, and where in each pod; an address of IPv6 may be missing there.
    record DnsConfig(boolean enabled, List<IpPort> addresses) {
        DnsConfig {
            addresses = List.copyOf(addresses);
        }
    }

    /// Ports of our own, not of pods.
    record ProcessPorts(int admin, int metrics, int readiness) {
        static final ProcessPorts DEFAULT = new ProcessPorts(15000, 15020, 15021);
    }

    record Logging(String level, boolean json) {}

    private static final int MOST = 1 << 30;
    private static final String META = "ISTIO_META_";
    private static final String META_JSON = "ISTIO_METAJSON_";

    /// @throws ProblemException that names the variable and what to write instead
    static ZtunnelConfig parse(Map<String, String> environment, int cores) {
        var settings =
                Settings.of(List.of(ZtunnelSetting.values()), Arguments.parse(List.of(), new String[0]), environment);
        var file = meshFile(settings);
        if (settings.on(ZtunnelSetting.XDS_ON_DEMAND) && dns(settings)) {
            throw settings.bad(
                    ZtunnelSetting.XDS_ON_DEMAND,
                    "cannot go together with DNS, which has to know all services",
                    "set ISTIO_META_DNS_CAPTURE=false, or leave it out");
        }
        if (!settings.on(ZtunnelSetting.ENABLE_PROXY) && !dns(settings)) {
            throw settings.bad(
                    ZtunnelSetting.ENABLE_PROXY, "leaves nothing to do without DNS", "let one of them be true");
        }
        var tls = tls(settings);
        var cluster = environment.getOrDefault(META + "CLUSTER_ID", settings.text(ZtunnelSetting.CLUSTER_ID));
        return new ZtunnelConfig(
                dedicated(settings),
                new XdsConfig(
                        RemoteConfig.of(settings, RemoteConfig.Server.XDS, file.discoveryAddress(), cluster, tls),
                        localXds(settings),
                        settings.on(ZtunnelSetting.XDS_ON_DEMAND)
                                ? XdsSubscription.ON_DEMAND
                                : XdsSubscription.EVERYTHING,
                        metadata(environment, file),
                        prefixed(environment, META_JSON)),
                new CertificateConfig(
                        RemoteConfig.of(settings, RemoteConfig.Server.CA, file.discoveryAddress(), cluster, tls),
                        settings.time(ZtunnelSetting.SECRET_TTL),
                        optional(settings, ZtunnelSetting.CRL_PATH).map(Path::of)),
                new NodePlace(
                        cluster,
                        settings.text(ZtunnelSetting.CLUSTER_DOMAIN),
                        settings.text(ZtunnelSetting.NETWORK),
                        optional(settings, ZtunnelSetting.NODE_NAME),
                        settings.text(ZtunnelSetting.PREFERED_SERVICE_NAMESPACE)),
                new Own(
                        settings.text(ZtunnelSetting.INSTANCE_IP),
                        settings.text(ZtunnelSetting.POD_NAME),
                        settings.text(ZtunnelSetting.POD_NAMESPACE),
                        settings.text(ZtunnelSetting.SERVICE_ACCOUNT),
                        settings.text(ZtunnelSetting.TRUST_DOMAIN)),
                tunnels(settings),
                new PodCapture(
                        Path.of(settings.text(ZtunnelSetting.INPOD_UDS)),
                        sockets(settings),
                        settings.on(ZtunnelSetting.UNSTABLE_ENABLE_SOCKS5) ? Socks.ON : Socks.OFF,
                        settings.on(ZtunnelSetting.ENABLE_PROXY) ? PodTraffic.CARRIED : PodTraffic.LEFT_ALONE),
                proxy(settings),
                new TlsConfig(tls, Set.copyOf(settings.words(ZtunnelSetting.FATHOM_TRUST_DOMAIN_ALIASES))),
                new DnsConfig(dns(settings), dnsAddresses(settings)),
                new ProcessConfig(
                        threads(settings, file, cores), termination(settings), ports(file), logging(settings)));
    }

    private static Optional<String> optional(Settings settings, ZtunnelSetting setting) {
        return Optional.of(settings.text(setting)).filter(text -> !text.isEmpty());
    }

    private static ProcessPorts ports(MeshFile file) {
        return new ProcessPorts(
                file.adminPort().orElse(ProcessPorts.DEFAULT.admin()),
                file.statsPort().orElse(ProcessPorts.DEFAULT.metrics()),
                ProcessPorts.DEFAULT.readiness());
    }

    /// The address of all interfaces.
    Ip wildcard() {
        return Ip.parse(capture.sockets().families() == SocketConfig.Families.BOTH ? "::" : "0.0.0.0")
                .orElseThrow();
    }

    private static MeshFile meshFile(Settings settings) {
        var variable = settings.text(ZtunnelSetting.PROXY_CONFIG);
        var own =
                variable.isEmpty() ? MeshFile.NONE : MeshFile.ofVariable("environment variable PROXY_CONFIG", variable);
        var file = Path.of(settings.text(ZtunnelSetting.MESH_CONFIG_FILE));
        if (!Files.exists(file)) {
            return own;
        }
        try {
            return own.or(MeshFile.ofMeshFile(file.toString(), Files.readString(file)));
        } catch (IOException e) {
            throw new ProblemException(Problem.ofInput(
                    "mesh-file-unreadable",
                    file + " cannot be read: " + e.getMessage(),
                    "make it readable, or remove it"));
        }
    }

    private static Optional<DedicatedTo> dedicated(Settings settings) {
        return switch (settings.text(ZtunnelSetting.PROXY_MODE)) {
            case "shared" -> Optional.empty();
            case "dedicated" -> {
                var parts = settings.text(ZtunnelSetting.PROXY_WORKLOAD_INFO).split("/", -1);
                if (parts.length != 3 || List.of(parts).contains("")) {
                    throw settings.bad(
                            ZtunnelSetting.PROXY_WORKLOAD_INFO,
                            "does not say which workload",
                            "give namespace/name/serviceaccount");
                }
                yield Optional.of(new DedicatedTo(parts[0], parts[1], parts[2]));
            }
            default -> throw settings.bad(ZtunnelSetting.PROXY_MODE, "is no mode", "give shared or dedicated");
        };
    }

    private static Optional<LocalXds> localXds(Settings settings) {
        var file = settings.text(ZtunnelSetting.LOCAL_XDS_PATH);
        var inline = settings.text(ZtunnelSetting.LOCAL_XDS);
        if (!file.isEmpty() && !inline.isEmpty()) {
            throw settings.bad(ZtunnelSetting.LOCAL_XDS, "comes on top of LOCAL_XDS_PATH", "give one of them");
        }
        if (!file.isEmpty()) {
            return Optional.of(new LocalXds.InFile(Path.of(file)));
        }
        return inline.isEmpty() ? Optional.empty() : Optional.of(new LocalXds.Inline(inline));
    }

    private static int threads(Settings settings, MeshFile file, int cores) {
        var limit = settings.text(ZtunnelSetting.ZTUNNEL_RESOURCE_CPU_LIMIT);
        return new WorkerThreads(
                        cores,
                        settings.text(ZtunnelSetting.ZTUNNEL_WORKER_THREADS),
                        limit.isEmpty() ? settings.text(ZtunnelSetting.ZTUNNEL_CPU_LIMIT) : limit,
                        settings.text(ZtunnelSetting.ZTUNNEL_RESOURCE_CPU_REQUEST),
                        file.concurrency())
                .count()
                .orElseThrow(() -> settings.bad(
                        ZtunnelSetting.ZTUNNEL_WORKER_THREADS,
                        "or an amount of CPU is not readable",
                        "give a number or a percentage, and CPU like 500m or 1.5"));
    }

    private static int atLeastOne(Settings settings, ZtunnelSetting setting) {
        return settings.number(setting, 1, MOST, "give a number from 1");
    }

    private static int window(Settings settings, ZtunnelSetting setting) {
        return settings.number(setting, 65_535, Integer.MAX_VALUE, "give 65535 bytes or more");
    }

    private static HboneLimits tunnels(Settings settings) {
        var times = HboneLimits.Times.DEFAULT;
        return HboneLimits.DEFAULT
                .withStreamsPerConnection(atLeastOne(settings, ZtunnelSetting.POOL_MAX_STREAMS_PER_CONNECTION))
                .with(new HboneLimits.Windows(
                        window(settings, ZtunnelSetting.HTTP2_STREAM_WINDOW_SIZE),
                        window(settings, ZtunnelSetting.HTTP2_CONNECTION_WINDOW_SIZE),
                        settings.number(
                                ZtunnelSetting.HTTP2_FRAME_SIZE,
                                16_384,
                                16_777_215,
                                "give 16384 to 16777215 bytes, as HTTP/2 allows"),
                        HboneLimits.Windows.DEFAULT.pending()))
                .with(new HboneLimits.Times(
                        times.dial(),
                        times.handshake(),
                        times.reply(),
                        settings.time(ZtunnelSetting.POOL_UNUSED_RELEASE_TIMEOUT),
                        times.quiet(),
                        times.sign()));
    }

    private static SocketConfig sockets(Settings settings) {
        var mark = settings.number(ZtunnelSetting.PACKET_MARK, 0, Integer.MAX_VALUE, "give a number, 0 for none");
        return new SocketConfig(
                mark == 0 ? OptionalInt.empty() : OptionalInt.of(mark),
                settings.on(ZtunnelSetting.INPOD_PORT_REUSE) ? SocketConfig.PortReuse.YES : SocketConfig.PortReuse.NO,
                keepSource(settings),
                settings.on(ZtunnelSetting.IPV6_ENABLED) ? SocketConfig.Families.BOTH : SocketConfig.Families.IPV4,
                keepalive(settings));
    }

    private static SocketConfig.KeepSource keepSource(Settings settings) {
        if (settings.text(ZtunnelSetting.ENABLE_ORIG_SRC).isEmpty()) {
            return SocketConfig.KeepSource.IF_POSSIBLE;
        }
        return settings.on(ZtunnelSetting.ENABLE_ORIG_SRC)
                ? SocketConfig.KeepSource.REQUIRED
                : SocketConfig.KeepSource.NEVER;
    }

    private static Optional<Keepalive> keepalive(Settings settings) {
        if (!settings.on(ZtunnelSetting.KEEPALIVE_ENABLED)) {
            return Optional.empty();
        }
        return Optional.of(new Keepalive(
                settings.time(ZtunnelSetting.KEEPALIVE_TIME),
                settings.time(ZtunnelSetting.KEEPALIVE_INTERVAL),
                atLeastOne(settings, ZtunnelSetting.KEEPALIVE_RETRIES),
                settings.on(ZtunnelSetting.USER_TIMEOUT_ENABLED)
                        ? Keepalive.UserTimeout.ON
                        : Keepalive.UserTimeout.OFF));
    }

    private static ProxyConfig proxy(Settings settings) {
        var usual = ProxyConfig.DEFAULT;
        return new ProxyConfig(
                settings.text(ZtunnelSetting.NETWORK),
                settings.on(ZtunnelSetting.UNSTABLE_ENABLE_SOCKS5) ? ProxyPorts.WITH_SOCKS5 : usual.ports(),
                settings.on(ZtunnelSetting.LOCALHOST_APP_TUNNEL)
                        ? InboundConfig.TunnelDial.LOOPBACK
                        : InboundConfig.TunnelDial.POD_ADDRESS,
                settings.on(ZtunnelSetting.ENABLE_RESPONSE_BAGGAGE)
                        ? ProxyConfig.BaggageUse.EXCHANGED
                        : ProxyConfig.BaggageUse.IGNORED,
                usual.connectTimeout(),
                usual.workloadWait(),
                usual.attempts(),
                keepalive(settings),
                settings.on(ZtunnelSetting.AUTHZ_POLICY_INFO_LOGGING) ? Level.INFO : usual.decisions());
    }

    /// A little less than what Kubernetes grants, so that we end before we are killed.
    private static Duration termination(Settings settings) {
        if (!settings.text(ZtunnelSetting.CONNECTION_TERMINATION_DEADLINE).isEmpty()) {
            return settings.time(ZtunnelSetting.CONNECTION_TERMINATION_DEADLINE);
        }
        if (settings.text(ZtunnelSetting.TERMINATION_GRACE_PERIOD_SECONDS).isEmpty()) {
            return Duration.ofSeconds(5);
        }
        var grace =
                settings.number(ZtunnelSetting.TERMINATION_GRACE_PERIOD_SECONDS, 0, MOST, "give a number of seconds");
        return Duration.ofSeconds(grace > 10 ? grace - 5 : Math.max(grace - 1, 1));
    }

    private static boolean dns(Settings settings) {
        return settings.text(ZtunnelSetting.ISTIO_META_DNS_CAPTURE).equals("true");
    }

    /// `localhost` is every loopback address.
    private static List<IpPort> dnsAddresses(Settings settings) {
        var text = settings.text(ZtunnelSetting.ISTIO_META_DNS_PROXY_ADDR);
        var port = text.startsWith("localhost:")
                ? IpPort.parsePort(text.substring("localhost:".length()))
                : Optional.<Integer>empty();
        var addresses = port.isPresent()
                ? (settings.on(ZtunnelSetting.IPV6_ENABLED) ? Stream.of("[::1]", "127.0.0.1") : Stream.of("127.0.0.1"))
                        .flatMap(host -> IpPort.parse(host + ":" + port.get()).stream())
                        .toList()
                : IpPort.parse(text).stream().toList();
        if (addresses.isEmpty() || addresses.getFirst().port() == 0) {
            throw settings.bad(
                    ZtunnelSetting.ISTIO_META_DNS_PROXY_ADDR,
                    "is no address to listen on",
                    "give localhost:15053, or an IP address and a port");
        }
        return addresses;
    }

    private static TlsPolicy tls(Settings settings) {
        var exchange = settings.keyExchange(ZtunnelSetting.COMPLIANCE_POLICY);
        if (!settings.on(ZtunnelSetting.TLS12_ENABLED)) {
            return new TlsPolicy(TlsPolicy.Versions.TLS13, exchange);
        }
        if (exchange == TlsPolicy.KeyExchange.POST_QUANTUM) {
            throw settings.bad(
                    ZtunnelSetting.TLS12_ENABLED,
                    "cannot go together with COMPLIANCE_POLICY=pqc: TLS 1.2 knows no such key exchange",
                    "leave one of them out");
        }
        return new TlsPolicy(TlsPolicy.Versions.TLS12_TOO, exchange);
    }

    /// Of a filter like `info,hyper=warn` the level without a name counts.
    private static Logging logging(Settings settings) {
        var level = settings.words(ZtunnelSetting.RUST_LOG).stream()
                .filter(word -> !word.contains("="))
                .findFirst()
                .orElse("info");
        if (!List.of("error", "warn", "info", "debug", "trace").contains(level)) {
            throw settings.bad(ZtunnelSetting.RUST_LOG, "is not a level", "give error, warn, info, debug or trace");
        }
        return new Logging(level, settings.text(ZtunnelSetting.LOG_FORMAT).equals("json"));
    }

    private static Map<String, String> metadata(Map<String, String> environment, MeshFile file) {
        var metadata = new HashMap<String, String>();
        file.metadata().forEach((name, value) -> metadata.put(withoutPrefix(name), value));
        metadata.putAll(prefixed(environment, META));
        return metadata;
    }

    private static Map<String, String> prefixed(Map<String, String> environment, String prefix) {
        var found = new HashMap<String, String>();
        environment.forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                found.put(name.substring(prefix.length()), value);
            }
        });
        return found;
    }

    private static String withoutPrefix(String name) {
        return name.startsWith(META) ? name.substring(META.length()) : name;
    }
}
