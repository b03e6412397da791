// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A service and the workloads behind it, healthy or not; either may be there before the other. Immutable but for
/// the sets that were already worked out, which any thread may add to: losing one costs time only.
final class Backends {
    static final Member[] NO_MEMBERS = {};
    private static final Eligible[] NOTHING_YET = {};
    private static final int REMEMBERED = 16;

    final String key;
    final @Nullable Service service;
    final Member[] members;
    /// Who may answer for any endpoint of the service.
    final Set<Identity> identities;

    private volatile Eligible[] remembered = NOTHING_YET;

    private Backends(String key, @Nullable Service service, Member[] members, Set<Identity> identities) {
        this.key = key;
        this.service = service;
        this.members = members;
        this.identities = identities;
    }

    static Backends empty(String key) {
        return new Backends(key, null, NO_MEMBERS, Set.of());
    }

    Backends with(Service changed) {
        return new Backends(key, changed, members, identities(changed.subjectAltNames()));
    }

    Backends withoutService() {
        return new Backends(key, null, members, Set.of());
    }

    Backends with(Member[] changed) {
        return new Backends(key, service, changed, identities);
    }

    private static Set<Identity> identities(List<String> names) {
        if (names.isEmpty()) {
            return Set.of();
        }
        var identities = new HashSet<Identity>();
        for (var name : names) {
            Identity.parse(name).ifPresent(identities::add);
        }
        return Set.copyOf(identities);
    }

    boolean isNothing() {
        return service == null && members.length == 0;
    }

    Optional<Service> known() {
        return Optional.ofNullable(service);
    }

    /// The set that this client may use; empty of endpoints when the service is not known.
    Optional<Eligible> eligible(Workload client, int port, Eligible.Purpose purpose) {
        if (service == null) {
            return Optional.empty();
        }
        var wanted = new Eligible.Key(ClientLocation.of(client, service.loadBalancing()), port, purpose);
        var known = remembered;
        for (var set : known) {
            if (set.key.equals(wanted)) {
                return Optional.of(set);
            }
        }
        var set = Eligible.of(this, service, wanted);
        if (!set.isEmpty()) { // ports that nobody serves must not push out those that somebody does
            var next = Arrays.copyOf(known, Math.min(known.length + 1, REMEMBERED));
            next[next.length - 1] = set;
            remembered = next;
        }
        return Optional.of(set);
    }
}
