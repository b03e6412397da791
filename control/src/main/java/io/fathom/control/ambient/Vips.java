package io.fathom.control.ambient;

import io.fathom.base.lang.Problem;
import io.fathom.model.mesh.Ip;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The automatic addresses of one ServiceEntry.
///
/// @param byHost in the order of the entry; IPv4 before IPv6
/// @param problem set when some host could not be given any
record Vips(Map<String, List<Ip>> byHost, Optional<Problem> problem) {
    Vips {
        var copy = new LinkedHashMap<String, List<Ip>>();
        byHost.forEach((host, addresses) -> copy.put(host, List.copyOf(addresses)));
        byHost = Collections.unmodifiableMap(copy);
    }

    /// Empty for a host that has none.
    List<Ip> of(String host) {
        return byHost.getOrDefault(host, List.of());
    }

    /// As the status of the entry holds them.
    ObjectStatus status() {
        var addresses = byHost.entrySet().stream()
                .flatMap(host ->
                        host.getValue().stream().map(ip -> new ObjectStatus.HostAddress(host.getKey(), ip.toString())))
                .toList();
        return new ObjectStatus(List.of(), addresses);
    }
}
