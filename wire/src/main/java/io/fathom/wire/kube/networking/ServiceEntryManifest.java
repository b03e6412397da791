// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.Map;

/// A ServiceEntry: a service outside Kubernetes.
///
/// @param addresses as written: IPs or blocks, possibly unparsable
/// @param selector empty when it selects nothing
/// @param assigned the addresses that its status holds
public record ServiceEntryManifest(
        Metadata metadata,
        List<String> hosts,
        List<String> addresses,
        List<EntryPort> ports,
        Resolution resolution,
        List<EntryEndpoint> endpoints,
        Map<String, String> selector,
        List<String> subjectAltNames,
        List<AssignedAddress> assigned)
        implements Manifest {

    public enum Resolution {
        NONE,
        STATIC,
        DNS,
        DNS_ROUND_ROBIN,
        DYNAMIC_DNS
    }

    /// A port; `target` is 0 when not set, `protocol` as written.
    public record EntryPort(String name, int number, String protocol, int target) {}

    /// An automatic address of one host.
    public record AssignedAddress(String value, String host) {}

    public ServiceEntryManifest {
        hosts = List.copyOf(hosts);
        addresses = List.copyOf(addresses);
        ports = List.copyOf(ports);
        endpoints = List.copyOf(endpoints);
        selector = Map.copyOf(selector);
        subjectAltNames = List.copyOf(subjectAltNames);
        assigned = List.copyOf(assigned);
    }
}
