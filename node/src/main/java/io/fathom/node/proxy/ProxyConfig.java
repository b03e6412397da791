package io.fathom.node.proxy;

import io.fathom.model.routing.InboundConfig;
import io.fathom.model.routing.ProxyPorts;
import io.fathom.node.proxy.relay.StreamOptions;
import java.time.Duration;

/// How the proxies of a node behave.
///
/// @param network that the node is on
/// @param ports that must not be proxied
/// @param sources whether applications see the address of their client
/// @param tunnelDial where applications that take PROXY headers are dialled
/// @param baggage whether sides tell each other about their workloads
/// @param connectTimeout of each dial
/// @param workloadWait for a pod that the control plane has not told of yet
/// @param attempts at most, on different endpoints, for one connection
/// @param streams how TCP connections behave
public record ProxyConfig(
        String network,
        ProxyPorts ports,
        Sources sources,
        InboundConfig.TunnelDial tunnelDial,
        BaggageUse baggage,
        PortReuse portReuse,
        Duration connectTimeout,
        Duration workloadWait,
        int attempts,
        StreamOptions streams) {
    /// Whether applications see the address of their client.
    public enum Sources {
        /// A listener that cannot be transparent is a failure.
        KEPT,
        KEPT_IF_POSSIBLE,
        REPLACED
    }

    /// Whether baggage is sent in responses, and read from requests.
    public enum BaggageUse {
        EXCHANGED,
        IGNORED
    }

    /// Whether another ztunnel may listen on the same ports meanwhile.
    public enum PortReuse {
        SHARED,
        EXCLUSIVE
    }

    public static final ProxyConfig DEFAULT = new ProxyConfig(
            "",
            ProxyPorts.DEFAULT,
            Sources.KEPT_IF_POSSIBLE,
            InboundConfig.TunnelDial.LOOPBACK,
            BaggageUse.EXCHANGED,
            PortReuse.SHARED,
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            3,
            StreamOptions.DEFAULT);

    public ProxyConfig network(String value) {
        return new ProxyConfig(
                value, ports, sources, tunnelDial, baggage, portReuse, connectTimeout, workloadWait, attempts, streams);
    }

    public ProxyConfig sources(Sources value) {
        return new ProxyConfig(
                network, ports, value, tunnelDial, baggage, portReuse, connectTimeout, workloadWait, attempts, streams);
    }

    public ProxyConfig baggage(BaggageUse value) {
        return new ProxyConfig(
                network, ports, sources, tunnelDial, value, portReuse, connectTimeout, workloadWait, attempts, streams);
    }

    public ProxyConfig times(Duration connect, Duration workload) {
        return new ProxyConfig(
                network, ports, sources, tunnelDial, baggage, portReuse, connect, workload, attempts, streams);
    }
}
