// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The automatic addresses of one ServiceEntry.
///
/// @param byHost in the order of the entry; IPv4 before IPv6
/// @param problem set when some host could not be given any
public record Vips(Map<String, List<Ip>> byHost, Optional<Problem> problem) {
    public Vips {
        var copy = new LinkedHashMap<String, List<Ip>>();
        byHost.forEach((host, addresses) -> copy.put(host, List.copyOf(addresses)));
        byHost = Collections.unmodifiableMap(copy);
    }

    /// Empty for a host that has none.
    public List<Ip> of(String host) {
        return byHost.getOrDefault(host, List.of());
    }

    /// Only those that the status of the entry names. An address that is planned otherwise now, because somebody has a
    /// better right to what is written, is left out as well.
    public Vips writtenIn(ServiceEntryManifest entry) {
        var written = new LinkedHashMap<String, List<Ip>>();
        byHost.forEach((host, addresses) -> written.put(
                host, addresses.stream().filter(ip -> names(entry, host, ip)).toList()));
        return new Vips(written, problem);
    }

    /// Whether the status of the entry gives that address to that host.
    static boolean names(ServiceEntryManifest entry, String host, Ip ip) {
        return entry.assigned().stream()
                .anyMatch(assigned -> assigned.host().equals(host)
                        && Ip.parse(assigned.value()).filter(ip::equals).isPresent());
    }

    /// As the status of the entry holds them.
    public ObjectStatus status() {
        var addresses = byHost.entrySet().stream()
                .flatMap(host ->
                        host.getValue().stream().map(ip -> new ObjectStatus.HostAddress(host.getKey(), ip.toString())))
                .toList();
        return new ObjectStatus(List.of(), addresses);
    }
}
