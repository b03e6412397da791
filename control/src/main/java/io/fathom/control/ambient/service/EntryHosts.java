// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Entry;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.model.mesh.Service.Visibility;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Who owns a host name. In one namespace a Service comes before all ServiceEntries and the oldest entry before the
/// others; the rest stays silent. Of all namespaces one winner is canonical: the one that others mean by the name.
final class EntryHosts {
    /// The entry that owns a host in its namespace.
    private record Owner(String key, String hostname, Metadata entry, Visibility visibility) {}

    private final Table<String, Owner> owners;
    private final Table<String, String> canonical;

    EntryHosts(Flow flow, Table<ObjectKey, Entry> entries, KubeServices services, AmbientConfig config) {
        var claims = flow.index("service-entries/by-host", entries, Entry::hostKeys);
        owners = flow.reduce(
                "service-entries/owners",
                claims,
                (fetch, key, rivals) -> owner(fetch, key, rivals, services, config.domain()));
        var byName = flow.index("service-entries/by-hostname", owners, owner -> Set.of(owner.hostname()));
        canonical = flow.reduce(
                "service-entries/canonical",
                byName,
                (fetch, hostname, candidates) -> canonical(fetch, hostname, candidates, services, config.domain()));
    }

    boolean owns(Fetch<?> fetch, Entry entry, String host) {
        return fetch.one(owners, entry.keyOf(host))
                .filter(owner -> owner.entry().key().equals(entry.manifest().key()))
                .isPresent();
    }

    boolean isCanonical(Fetch<?> fetch, Entry entry, String host) {
        return fetch.one(canonical, host)
                .filter(key -> key.equals(entry.keyOf(host)))
                .isPresent();
    }

    private static Optional<Owner> owner(
            Fetch<?> fetch, String key, List<Entry> rivals, KubeServices services, String domain) {
        var namespace = rivals.getFirst().manifest().namespace();
        var hostname = key.substring(namespace.length() + 1);
        var taken = Hosts.serviceOf(rivals.getFirst().manifest().key().cluster(), hostname, domain)
                .filter(service -> service.namespace().equals(namespace))
                .flatMap(service -> fetch.one(services.members(), service));
        if (taken.isPresent()) {
            return Optional.empty();
        }
        return rivals.stream()
                .min(Comparator.comparing(Entry::metadata, Metadata.OLDEST_FIRST))
                .map(oldest -> new Owner(key, hostname, oldest.metadata(), oldest.visibility()));
    }

    private static Optional<String> canonical(
            Fetch<?> fetch, String hostname, List<Owner> candidates, KubeServices services, String domain) {
        var service = Hosts.serviceOf(candidates.getFirst().entry().key().cluster(), hostname, domain)
                .flatMap(key -> fetch.one(services.members(), key));
        if (service.isPresent()) {
            return Optional.empty();
        }
        return candidates.stream()
                .filter(candidate -> candidate.visibility() != Visibility.NAMESPACE)
                .min(Comparator.comparing(Owner::entry, Metadata.OLDEST_FIRST))
                .map(Owner::key);
    }
}
