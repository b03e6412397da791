// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.traffic;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/// How clients shall treat a service, as DestinationRules say it. What is empty was not written.
public record TrafficPolicy(
        Optional<LoadBalancer> loadBalancer,
        Optional<ConnectionPool> connectionPool,
        Optional<OutlierDetection> outlierDetection,
        Optional<ClientTls> tls,
        Optional<ProxyProtocol> proxyProtocol,
        Optional<RetryBudget> retryBudget) {

    public static final TrafficPolicy NONE = new TrafficPolicy(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /// This one, with each part replaced that another has.
    public TrafficPolicy with(TrafficPolicy other) {
        return new TrafficPolicy(
                other.loadBalancer.or(() -> loadBalancer),
                other.connectionPool.or(() -> connectionPool),
                other.outlierDetection.or(() -> outlierDetection),
                other.tls.or(() -> tls),
                other.proxyProtocol.or(() -> proxyProtocol),
                other.retryBudget.or(() -> retryBudget));
    }

    /// This one with the settings of a port, which inherit nothing of what ports can set.
    public TrafficPolicy atPort(TrafficPolicy port) {
        return new TrafficPolicy(
                port.loadBalancer, port.connectionPool, port.outlierDetection, port.tls, proxyProtocol, retryBudget);
    }

    public TrafficPolicy withRetryBudget(RetryBudget budget) {
        return new TrafficPolicy(
                loadBalancer, connectionPool, outlierDetection, tls, proxyProtocol, Optional.of(budget));
    }

    /// Which endpoint a request goes to.
    public record LoadBalancer(
            Optional<Simple> simple,
            Optional<ConsistentHash> hash,
            Optional<Warmup> warmup,
            Optional<LocalityBalancing> locality) {}

    public enum Simple {
        UNSPECIFIED,
        LEAST_REQUEST,
        ROUND_ROBIN,
        RANDOM,
        PASSTHROUGH
    }

    /// Requests that have `key` in common go to the same endpoint.
    public record ConsistentHash(HashKey key, HashTable table) {
        /// How endpoints are found: ring and smallest size, or table of Maglev and its size; 0 when not set.
        public sealed interface HashTable {
            record Ring(int minimum) implements HashTable {}

            record Maglev(int size) implements HashTable {}
        }
    }

    public sealed interface HashKey {
        record Header(String name) implements HashKey {}

        /// A cookie, which the proxy sets if it is told how long for.
        ///
        /// @param ttl empty when the cookie is only looked at; zero for a cookie of the session
        record Cookie(String name, String path, Optional<Duration> ttl, Map<String, String> attributes)
                implements HashKey {
            public Cookie {
                attributes = Map.copyOf(attributes);
            }
        }

        record SourceIp() implements HashKey {}

        record QueryParameter(String name) implements HashKey {}
    }

    /// New endpoints get their share little by little.
    public record Warmup(Duration window, OptionalDouble minimumPercent, OptionalDouble aggression) {}

    /// Which places are preferred.
    public record LocalityBalancing(
            Switch enabled, List<Distribution> distribute, List<Failover> failover, List<String> failoverPriority) {
        public enum Switch {
            ON,
            OFF
        }

        public LocalityBalancing {
            distribute = List.copyOf(distribute);
            failover = List.copyOf(failover);
            failoverPriority = List.copyOf(failoverPriority);
        }
    }

    /// How requests from a place are shared out, in percent by place. Places are `region/zone/subzone`, `*` at the end.
    public record Distribution(String from, Map<String, Integer> to) {
        public Distribution {
            to = Map.copyOf(to);
        }
    }

    /// Which region helps out.
    public record Failover(String from, String to) {}

    /// How many connections and requests there may be; a number that is not set means no limit.
    public record ConnectionPool(TcpPool tcp, HttpPool http) {}

    public record TcpPool(
            OptionalInt maxConnections,
            Optional<Duration> connectTimeout,
            Optional<Duration> idleTimeout,
            Optional<Duration> maxConnectionDuration,
            Optional<Keepalive> keepalive) {}

    public record Keepalive(OptionalInt probes, Optional<Duration> time, Optional<Duration> interval) {}

    public record HttpPool(
            OptionalInt maxPendingRequests,
            OptionalInt maxRequests,
            OptionalInt maxRequestsPerConnection,
            OptionalInt maxRetries,
            OptionalInt maxConcurrentStreams,
            Optional<Duration> idleTimeout,
            H2Upgrade upgrade,
            ClientProtocol clientProtocol,
            Optional<Http2Keepalive> http2Keepalive) {}

    public enum H2Upgrade {
        DEFAULT,
        DO_NOT_UPGRADE,
        UPGRADE
    }

    /// Whether the protocol of the client is used towards the service, too.
    public enum ClientProtocol {
        IGNORED,
        USED
    }

    public record Http2Keepalive(Optional<Duration> interval, Optional<Duration> timeout) {}

    /// When endpoints are left alone for a while. Numbers that are not set mean their defaults, 0 means never.
    public record OutlierDetection(
            OptionalInt consecutive5xx,
            OptionalInt consecutiveGatewayErrors,
            OptionalInt consecutiveLocalFailures,
            LocalErrors localErrors,
            Optional<Duration> interval,
            Optional<Duration> baseEjectionTime,
            OptionalInt maxEjectionPercent,
            OptionalInt minHealthPercent) {
        /// Whether failures to connect count apart from errors that the endpoint answers.
        public enum LocalErrors {
            TOGETHER,
            APART
        }
    }

    /// TLS towards the service. Text that is absent is empty.
    public record ClientTls(
            Mode mode,
            String clientCertificate,
            String privateKey,
            String caCertificates,
            String credentialName,
            List<String> subjectAltNames,
            String sni,
            Verification verification) {
        public enum Mode {
            DISABLE,
            SIMPLE,
            MUTUAL,
            ISTIO_MUTUAL
        }

        public enum Verification {
            REQUIRED,
            SKIPPED
        }

        public ClientTls {
            subjectAltNames = List.copyOf(subjectAltNames);
        }
    }

    /// Which version of HAProxy's PROXY protocol connections begin with.
    public enum ProxyProtocol {
        V1,
        V2
    }

    /// How many requests may be retries, in percent of those that are under way.
    ///
    /// @param interval whose requests count; empty for those of the moment
    public record RetryBudget(OptionalDouble percent, OptionalInt minConcurrency, Optional<Duration> interval) {}
}
