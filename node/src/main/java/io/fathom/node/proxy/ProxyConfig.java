// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.routing.InboundConfig;
import io.fathom.model.routing.ProxyPorts;
import io.fathom.node.proxy.relay.StreamOptions;
import io.fathom.node.socket.Keepalive;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.event.Level;

/// How the proxies of a node behave.
///
/// @param network that the node is on
/// @param ports that must not be proxied
/// @param tunnelDial where applications that take PROXY headers are dialled
/// @param baggage whether sides tell each other about their workloads
/// @param connectTimeout of each dial
/// @param workloadWait for a pod that the control plane has not told of yet
/// @param attempts at most, on different endpoints, for one connection
/// @param keepalive of connections that were captured
/// @param decisions the level at which decisions of policies are logged
public record ProxyConfig(
        String network,
        ProxyPorts ports,
        InboundConfig.TunnelDial tunnelDial,
        BaggageUse baggage,
        Duration connectTimeout,
        Duration workloadWait,
        int attempts,
        Optional<Keepalive> keepalive,
        Level decisions) {
    /// Whether baggage is sent in responses, and read from requests.
    public enum BaggageUse {
        EXCHANGED,
        IGNORED
    }

    public static final ProxyConfig DEFAULT = new ProxyConfig(
            "",
            ProxyPorts.DEFAULT,
            InboundConfig.TunnelDial.LOOPBACK,
            BaggageUse.EXCHANGED,
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            3,
            Optional.of(Keepalive.DEFAULT),
            Level.DEBUG);

    public ProxyConfig network(String value) {
        return new ProxyConfig(
                value, ports, tunnelDial, baggage, connectTimeout, workloadWait, attempts, keepalive, decisions);
    }

    public ProxyConfig baggage(BaggageUse value) {
        return new ProxyConfig(
                network, ports, tunnelDial, value, connectTimeout, workloadWait, attempts, keepalive, decisions);
    }

    public ProxyConfig times(Duration connect, Duration workload) {
        return new ProxyConfig(network, ports, tunnelDial, baggage, connect, workload, attempts, keepalive, decisions);
    }

    public ProxyConfig decisions(Level value) {
        return new ProxyConfig(
                network, ports, tunnelDial, baggage, connectTimeout, workloadWait, attempts, keepalive, value);
    }

    /// For listeners of connections that are captured: what they accept has it, too.
    public void prepare(EpollServerSocketChannel listener) {
        keepalive.ifPresent(probes -> probes.applyTo(listener));
    }

    /// For a connection that was captured.
    public void prepare(EpollSocketChannel accepted) {
        StreamOptions.apply(accepted);
    }
}
