// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientProtocol;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConnectionPool;
import io.fathom.wire.kube.traffic.TrafficPolicy.H2Upgrade;
import io.fathom.wire.kube.traffic.TrafficPolicy.HttpPool;
import io.fathom.wire.kube.traffic.TrafficPolicy.Keepalive;
import io.fathom.wire.kube.traffic.TrafficPolicy.LoadBalancer;
import io.fathom.wire.kube.traffic.TrafficPolicy.LocalityBalancing;
import io.fathom.wire.kube.traffic.TrafficPolicy.OutlierDetection;
import io.fathom.wire.kube.traffic.TrafficPolicy.OutlierDetection.LocalErrors;
import io.fathom.wire.kube.traffic.TrafficPolicy.ProxyProtocol;
import io.fathom.wire.kube.traffic.TrafficPolicy.Simple;
import io.fathom.wire.kube.traffic.TrafficPolicy.TcpPool;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// Traffic policies that say one thing.
final class Policies {
    private Policies() {}

    static TrafficPolicy balancer(Simple simple) {
        return Drafts.balanced(
                new LoadBalancer(Optional.of(simple), Optional.empty(), Optional.empty(), Optional.empty()));
    }

    static TrafficPolicy locality(LocalityBalancing locality) {
        return Drafts.balanced(
                new LoadBalancer(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(locality)));
    }

    static TrafficPolicy outliers(int errors, Duration interval, Duration ejection) {
        return new TrafficPolicy(
                Optional.empty(),
                Optional.empty(),
                Optional.of(new OutlierDetection(
                        OptionalInt.of(errors),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        LocalErrors.TOGETHER,
                        Optional.of(interval),
                        Optional.of(ejection),
                        OptionalInt.of(100),
                        OptionalInt.empty())),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    static TrafficPolicy limits(int connections, int pending) {
        return pool(OptionalInt.of(connections), Optional.empty(), OptionalInt.of(pending), H2Upgrade.DEFAULT);
    }

    static TrafficPolicy keepalive(Keepalive keepalive) {
        return pool(OptionalInt.empty(), Optional.of(keepalive), OptionalInt.empty(), H2Upgrade.DEFAULT);
    }

    static TrafficPolicy upgrade(H2Upgrade upgrade) {
        return pool(OptionalInt.empty(), Optional.empty(), OptionalInt.empty(), upgrade);
    }

    private static TrafficPolicy pool(
            OptionalInt connections, Optional<Keepalive> keepalive, OptionalInt pending, H2Upgrade upgrade) {
        return new TrafficPolicy(
                Optional.empty(),
                Optional.of(new ConnectionPool(
                        new TcpPool(connections, Optional.empty(), Optional.empty(), Optional.empty(), keepalive),
                        new HttpPool(
                                pending,
                                OptionalInt.empty(),
                                OptionalInt.empty(),
                                OptionalInt.empty(),
                                OptionalInt.empty(),
                                Optional.empty(),
                                upgrade,
                                ClientProtocol.IGNORED,
                                Optional.empty()))),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    static TrafficPolicy proxyProtocol(ProxyProtocol version) {
        return new TrafficPolicy(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(version),
                Optional.empty());
    }

    /// TLS with a certificate that one of these authorities signed.
    static TrafficPolicy tls(String authorities, String name) {
        return tls(new ClientTls(
                ClientTls.Mode.SIMPLE, "", "", authorities, "", List.of(name), name, ClientTls.Verification.REQUIRED));
    }

    static TrafficPolicy tls(ClientTls tls) {
        return new TrafficPolicy(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(tls),
                Optional.empty(),
                Optional.empty());
    }
}
