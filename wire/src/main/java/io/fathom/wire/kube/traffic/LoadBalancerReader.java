// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.traffic;

import io.fathom.wire.kube.manifest.Decimals;
import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConsistentHash;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConsistentHash.HashTable;
import io.fathom.wire.kube.traffic.TrafficPolicy.Distribution;
import io.fathom.wire.kube.traffic.TrafficPolicy.Failover;
import io.fathom.wire.kube.traffic.TrafficPolicy.HashKey;
import io.fathom.wire.kube.traffic.TrafficPolicy.LoadBalancer;
import io.fathom.wire.kube.traffic.TrafficPolicy.LocalityBalancing;
import io.fathom.wire.kube.traffic.TrafficPolicy.Simple;
import io.fathom.wire.kube.traffic.TrafficPolicy.Warmup;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/// Reads the load balancers of DestinationRules.
public final class LoadBalancerReader {
    private static final int MOST = Integer.MAX_VALUE;
    private static final int MOST_MAGLEV = 5_000_011;
    private static final Choices<Simple> SIMPLE =
            Choices.of(Simple.class, Simple::name).or("LEAST_CONN", Simple.LEAST_REQUEST);

    private LoadBalancerReader() {}

    static LoadBalancer read(Field balancer) {
        return new LoadBalancer(
                TrafficPolicyReader.present(balancer.at("simple"), field -> field.oneOf(SIMPLE)),
                TrafficPolicyReader.present(balancer.at("consistentHash"), LoadBalancerReader::hash),
                warmup(balancer),
                TrafficPolicyReader.present(balancer.at("localityLbSetting"), LoadBalancerReader::locality));
    }

    private static ConsistentHash hash(Field hash) {
        return new ConsistentHash(key(hash), table(hash));
    }

    private static HashKey key(Field hash) {
        if (hash.at("httpHeaderName").isPresent()) {
            return new HashKey.Header(hash.at("httpHeaderName").requiredText());
        }
        if (hash.at("httpCookie").isPresent()) {
            var cookie = hash.at("httpCookie");
            var attributes = new HashMap<String, String>();
            cookie.at("attributes")
                    .items()
                    .forEach(item -> attributes.put(
                            item.at("name").requiredText(), item.at("value").text()));
            return new HashKey.Cookie(
                    cookie.at("name").requiredText(),
                    cookie.at("path").text(),
                    Durations.decimal(cookie.at("ttl")),
                    attributes);
        }
        if (hash.at("httpQueryParameterName").isPresent()) {
            return new HashKey.QueryParameter(hash.at("httpQueryParameterName").requiredText());
        }
        if (hash.at("useSourceIp").flag()) {
            return new HashKey.SourceIp();
        }
        throw hash.missing("add httpHeaderName, httpCookie, httpQueryParameterName or useSourceIp");
    }

    private static HashTable table(Field hash) {
        if (hash.at("maglev").isPresent()) {
            return new HashTable.Maglev(maglev(hash.at("maglev").at("tableSize")));
        }
        var inside = hash.at("ringHash").at("minimumRingSize").integer(0, MOST);
        return new HashTable.Ring(inside.orElseGet(
                () -> hash.at("minimumRingSize").integer(0, MOST).orElse(0)));
    }

    private static int maglev(Field field) {
        var size = field.integer(0, MOST_MAGLEV).orElse(0);
        if (size > 0 && !BigInteger.valueOf(size).isProbablePrime(30)) {
            throw field.wrong(
                    "manifest-bad-value", "is " + size + ", which is no prime number", "use a prime, such as 65537");
        }
        return size;
    }

    private static Optional<Warmup> warmup(Field balancer) {
        var warmup = balancer.at("warmup");
        if (warmup.isPresent()) {
            var window = Durations.decimal(warmup.at("duration"));
            return Optional.of(new Warmup(
                    window.orElseThrow(() -> warmup.at("duration").missing("say how long the warm-up takes, like 30s")),
                    Decimals.read(warmup.at("minimumPercent"), 0, 100),
                    Decimals.read(warmup.at("aggression"), 0, Double.MAX_VALUE)));
        }
        return Durations.decimal(balancer.at("warmupDurationSecs"))
                .map(window -> new Warmup(window, OptionalDouble.empty(), OptionalDouble.empty()));
    }

    public static LocalityBalancing locality(Field setting) {
        return new LocalityBalancing(
                setting.at("enabled").flag(Field.Absent.MEANS_TRUE)
                        ? LocalityBalancing.Switch.ON
                        : LocalityBalancing.Switch.OFF,
                setting.at("distribute").items().stream()
                        .map(LoadBalancerReader::distribution)
                        .toList(),
                setting.at("failover").items().stream()
                        .map(field -> new Failover(
                                field.at("from").requiredText(), field.at("to").requiredText()))
                        .toList(),
                setting.at("failoverPriority").texts());
    }

    private static Distribution distribution(Field field) {
        Map<String, Integer> shares = new HashMap<>();
        field.at("to").entries().forEach((place, share) -> shares.put(place, share.requiredInteger(0, 100)));
        var sum = shares.values().stream().mapToInt(Integer::intValue).sum();
        if (sum != 100) {
            throw field.at("to")
                    .wrong("manifest-bad-value", "has shares that add up to " + sum, "let the shares add up to 100");
        }
        return new Distribution(field.at("from").requiredText(), shares);
    }
}
