// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.base.flow.PersistentMap;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Keys of services by hostname, by address and by range of addresses. It holds keys, not services, so that a change
/// of endpoints never touches it. Immutable.
record ServiceIndex(
        PersistentMap<String, List<String>> hosts,
        PersistentMap<NetworkIp, List<String>> vips,
        PersistentMap<NetworkAddress, List<String>> ranges,
        PrefixLengths lengths) {

    static final ServiceIndex EMPTY =
            new ServiceIndex(PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty(), PrefixLengths.NONE);

    /// An address on a network.
    record NetworkIp(String network, Ip ip) {}

    ServiceIndex with(Service service, String key) {
        return change(service, key, Presence.IN);
    }

    ServiceIndex without(Service service, String key) {
        return change(service, key, Presence.OUT);
    }

    private enum Presence {
        IN,
        OUT
    }

    private ServiceIndex change(Service service, String key, Presence presence) {
        var nextVips = vips;
        var nextRanges = ranges;
        var nextLengths = lengths;
        for (var address : service.addresses()) {
            if (address.block().isSingleAddress()) {
                var at = new NetworkIp(address.network(), address.block().address());
                nextVips = change(nextVips, at, key, presence);
            } else {
                var at = new NetworkAddress(address.network(), address.block().masked());
                var changed = change(nextRanges, at, key, presence);
                nextLengths = nextLengths.plus(at.block(), changed.size() - nextRanges.size());
                nextRanges = changed;
            }
        }
        return new ServiceIndex(change(hosts, service.hostname(), key, presence), nextVips, nextRanges, nextLengths);
    }

    private static <K> PersistentMap<K, List<String>> change(
            PersistentMap<K, List<String>> map, K at, String key, Presence presence) {
        var keys = new ArrayList<>(keys(map, at));
        keys.remove(key);
        if (presence == Presence.IN) {
            keys.add(key);
            Collections.sort(keys);
        }
        return keys.isEmpty() ? map.without(at) : map.with(at, List.copyOf(keys));
    }

    private static <K> List<String> keys(PersistentMap<K, List<String>> map, K at) {
        @Nullable List<String> keys = map.get(at);
        return keys == null ? List.of() : keys;
    }

    List<String> named(String hostname) {
        return keys(hosts, hostname);
    }

    List<String> at(String network, Ip ip) {
        return keys(vips, new NetworkIp(network, ip));
    }

    List<String> around(String network, Ip ip, int length) {
        return keys(ranges, new NetworkAddress(network, new IpBlock(ip.masked(length), length)));
    }
}
