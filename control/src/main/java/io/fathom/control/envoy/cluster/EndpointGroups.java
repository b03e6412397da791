// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.fathom.model.mesh.Locality;
import io.fathom.wire.kube.traffic.TrafficPolicy.Distribution;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Endpoints by priority and place, in the making. For one thread.
final class EndpointGroups {
    private static final int SCALE = 100;
    private static final Comparator<Locality> BY_NAME =
            Comparator.comparing(Locality::region).thenComparing(Locality::zone).thenComparing(Locality::subzone);

    private final String name;
    private final SortedMap<Integer, SortedMap<Locality, List<LbEndpoint>>> groups = new TreeMap<>();

    EndpointGroups(String name) {
        this.name = name;
    }

    void add(LbEndpoint endpoint, int priority, Locality locality) {
        groups.computeIfAbsent(priority, _ -> new TreeMap<>(BY_NAME))
                .computeIfAbsent(locality, _ -> new ArrayList<>())
                .add(endpoint);
    }

    /// Priorities without gaps, as Envoy wants them.
    ClusterLoadAssignment build(Placement placement, Locality from) {
        var set = ClusterLoadAssignment.newBuilder().setClusterName(name);
        var priority = 0;
        for (var places : groups.values()) {
            var weights = weights(placement, from, places);
            for (var place : places.entrySet()) {
                var weight = weights.getOrDefault(place.getKey(), 0);
                if (weight > 0) {
                    set.addEndpoints(LocalityLbEndpoints.newBuilder()
                            .setLocality(LbEndpoints.locality(place.getKey()))
                            .setPriority(priority)
                            .setLoadBalancingWeight(Protos.number(weight))
                            .addAllLbEndpoints(place.getValue()));
                }
            }
            priority++;
        }
        return set.build();
    }

    private static Map<Locality, Integer> weights(
            Placement placement, Locality from, Map<Locality, List<LbEndpoint>> places) {
        var sizes = new LinkedHashMap<Locality, Integer>();
        places.forEach((place, endpoints) -> sizes.put(place, size(endpoints)));
        if (!(placement instanceof Placement.Shares(var distributions))) {
            return sizes;
        }
        return distributions.stream()
                .filter(distribution -> matches(distribution.from(), from))
                .findFirst()
                .map(distribution -> shares(distribution, sizes))
                .orElse(sizes);
    }

    /// Each share goes to the places that it names, by their sizes; places that none names get nothing.
    private static Map<Locality, Integer> shares(Distribution distribution, Map<Locality, Integer> sizes) {
        var weights = new LinkedHashMap<Locality, Integer>();
        distribution.to().entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByKey(
                                Comparator.comparingInt(String::length).reversed())
                        .thenComparing(Map.Entry.comparingByKey()))
                .forEach(share -> {
                    var named = sizes.keySet().stream()
                            .filter(place -> !weights.containsKey(place) && matches(share.getKey(), place))
                            .toList();
                    var total = named.stream().mapToLong(sizes::get).sum();
                    named.forEach(place -> weights.put(
                            place,
                            Math.toIntExact(
                                    ceiling((long) share.getValue() * SCALE * sizes.getOrDefault(place, 0), total))));
                });
        return weights;
    }

    private static long ceiling(long dividend, long divisor) {
        return (dividend + divisor - 1) / divisor;
    }

    private static int size(List<LbEndpoint> endpoints) {
        return endpoints.stream()
                .mapToInt(endpoint -> endpoint.hasLoadBalancingWeight()
                        ? endpoint.getLoadBalancingWeight().getValue()
                        : 1)
                .sum();
    }

    /// Whether a place is meant by `region/zone/subzone`, of which later parts may be missing or `*`.
    static boolean matches(String pattern, Locality place) {
        var wanted = pattern.split("/", -1);
        var actual = List.of(place.region(), place.zone(), place.subzone());
        for (int i = 0; i < wanted.length && i < actual.size(); i++) {
            if (wanted[i].equals("*")) {
                return true;
            }
            if (!wanted[i].equals(actual.get(i))) {
                return false;
            }
        }
        return true;
    }
}
