// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.traffic;

import io.fathom.wire.kube.manifest.Decimals;
import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientProtocol;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConnectionPool;
import io.fathom.wire.kube.traffic.TrafficPolicy.H2Upgrade;
import io.fathom.wire.kube.traffic.TrafficPolicy.Http2Keepalive;
import io.fathom.wire.kube.traffic.TrafficPolicy.HttpPool;
import io.fathom.wire.kube.traffic.TrafficPolicy.Keepalive;
import io.fathom.wire.kube.traffic.TrafficPolicy.OutlierDetection;
import io.fathom.wire.kube.traffic.TrafficPolicy.ProxyProtocol;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import io.fathom.wire.kube.traffic.TrafficPolicy.TcpPool;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/// Reads the traffic policies of DestinationRules, for a host, a subset or a port.
public final class TrafficPolicyReader {
    private static final int MOST = Integer.MAX_VALUE;
    private static final Choices<ClientTls.Mode> TLS_MODES = Choices.of(ClientTls.Mode.class, ClientTls.Mode::name);
    private static final Choices<H2Upgrade> UPGRADES = Choices.of(H2Upgrade.class, H2Upgrade::name);
    private static final Choices<ProxyProtocol> PROXY_PROTOCOLS = Choices.of(ProxyProtocol.class, ProxyProtocol::name);

    private TrafficPolicyReader() {}

    public static TrafficPolicy read(Field policy) {
        return new TrafficPolicy(
                present(policy.at("loadBalancer"), LoadBalancerReader::read),
                present(policy.at("connectionPool"), TrafficPolicyReader::pool),
                present(policy.at("outlierDetection"), TrafficPolicyReader::outliers),
                present(policy.at("tls"), TrafficPolicyReader::tls),
                present(
                        policy.at("proxyProtocol"),
                        field -> field.at("version").oneOf(PROXY_PROTOCOLS, ProxyProtocol.V1)),
                present(
                        policy.at("retryBudget"),
                        field -> new RetryBudget(
                                Decimals.read(field.at("percent"), 0, 100),
                                count(field.at("minRetryConcurrency")),
                                Durations.decimal(field.at("budgetInterval")))));
    }

    public static <T> Optional<T> present(Field field, Function<Field, T> reader) {
        return field.isPresent() ? Optional.of(reader.apply(field)) : Optional.empty();
    }

    private static OptionalInt count(Field field) {
        return field.integer(0, MOST);
    }

    private static ConnectionPool pool(Field pool) {
        var tcp = pool.at("tcp");
        var http = pool.at("http");
        return new ConnectionPool(
                new TcpPool(
                        count(tcp.at("maxConnections")),
                        Durations.decimal(tcp.at("connectTimeout")),
                        Durations.decimal(tcp.at("idleTimeout")),
                        Durations.decimal(tcp.at("maxConnectionDuration")),
                        present(tcp.at("tcpKeepalive"), TrafficPolicyReader::keepalive)),
                new HttpPool(
                        count(http.at("http1MaxPendingRequests")),
                        count(http.at("http2MaxRequests")),
                        count(http.at("maxRequestsPerConnection")),
                        count(http.at("maxRetries")),
                        count(http.at("maxConcurrentStreams")),
                        Durations.decimal(http.at("idleTimeout")),
                        upgrade(http.at("h2UpgradePolicy")),
                        http.at("useClientProtocol").flag() ? ClientProtocol.USED : ClientProtocol.IGNORED,
                        present(
                                http.at("http2KeepAlive"),
                                keepalive -> new Http2Keepalive(
                                        Durations.decimal(keepalive.at("interval")),
                                        Durations.decimal(keepalive.at("timeout"))))));
    }

    public static Keepalive keepalive(Field keepalive) {
        return new Keepalive(
                count(keepalive.at("probes")),
                Durations.decimal(keepalive.at("time")),
                Durations.decimal(keepalive.at("interval")));
    }

    public static H2Upgrade upgrade(Field policy) {
        return policy.oneOf(UPGRADES, H2Upgrade.DEFAULT);
    }

    private static OutlierDetection outliers(Field outliers) {
        var total = count(outliers.at("consecutive5xxErrors"));
        return new OutlierDetection(
                total.isPresent() ? total : count(outliers.at("consecutiveErrors")),
                count(outliers.at("consecutiveGatewayErrors")),
                count(outliers.at("consecutiveLocalOriginFailures")),
                outliers.at("splitExternalLocalOriginErrors").flag()
                        ? OutlierDetection.LocalErrors.APART
                        : OutlierDetection.LocalErrors.TOGETHER,
                Durations.decimal(outliers.at("interval")),
                Durations.decimal(outliers.at("baseEjectionTime")),
                outliers.at("maxEjectionPercent").integer(0, 100),
                outliers.at("minHealthPercent").integer(0, 100));
    }

    private static ClientTls tls(Field tls) {
        var mode = tls.at("mode").oneOf(TLS_MODES, ClientTls.Mode.DISABLE);
        var read = new ClientTls(
                mode,
                tls.at("clientCertificate").text(),
                tls.at("privateKey").text(),
                tls.at("caCertificates").text(),
                tls.at("credentialName").text(),
                tls.at("subjectAltNames").texts(),
                tls.at("sni").text(),
                tls.at("insecureSkipVerify").flag() ? ClientTls.Verification.SKIPPED : ClientTls.Verification.REQUIRED);
        var files = !read.clientCertificate().isEmpty() && !read.privateKey().isEmpty();
        if (mode == ClientTls.Mode.MUTUAL && read.credentialName().isEmpty() && !files) {
            throw tls.at("clientCertificate")
                    .missing("mode MUTUAL needs clientCertificate and privateKey, or credentialName");
        }
        return read;
    }
}
