// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.base.flow.PersistentMap;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.PolicySet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A view in the making. Used once, by the one writer.
final class MeshDraft {
    private final Pool pool;
    private final MeshView base;
    private WorkloadIndex workloads;
    private ServiceIndex names;
    private PersistentMap<String, Backends> services;
    private PolicySet policies;
    private final Map<String, Edit> edits = new HashMap<>();

    /// Changes of one service's endpoints, collected so that they are made once.
    private static final class Edit {
        final Set<Member> removed = new HashSet<>();
        final Set<Member> added = new LinkedHashSet<>();
    }

    MeshDraft(MeshView base, Pool pool) {
        this.pool = pool;
        this.base = base;
        this.workloads = base.workloadIndex();
        this.names = base.serviceIndex();
        this.services = base.services();
        this.policies = base.policies();
    }

    /// Returns the names to remove that are not there.
    List<String> apply(MeshDelta delta) {
        var unknown = new ArrayList<String>();
        for (var name : delta.removedAddresses()) {
            if (!removeWorkload(name) && !removeService(name)) {
                unknown.add(name);
            }
        }
        for (var address : delta.addresses()) {
            switch (address) {
                case Workload workload -> put(workload);
                case Service service -> put(service);
            }
        }
        edits.forEach(this::settle);
        for (var key : delta.removedPolicies()) {
            var rest = policies.without(key);
            if (rest.size() == policies.size()) {
                unknown.add(key);
            }
            policies = rest;
        }
        for (var policy : delta.policies()) {
            policies = policies.with(policy);
        }
        return unknown;
    }

    @SuppressWarnings("ReferenceEquality") // persistent maps answer with themselves when nothing changed
    MeshView view() {
        return workloads == base.workloadIndex()
                        && names == base.serviceIndex()
                        && services == base.services()
                        && policies == base.policies()
                ? base
                : new MeshView(workloads, names, services, policies);
    }

    private void put(Workload workload) {
        var old = workloads.byUid().get(workload.uid());
        if (old != null) {
            if (old.workload().equals(workload)) {
                return;
            }
            remove(old);
        }
        var member = Member.of(workload, pool);
        workloads = workloads.with(member);
        member.role.services().forEach((key, _) -> edit(key).added.add(member));
    }

    private boolean removeWorkload(String uid) {
        var old = workloads.byUid().get(uid);
        if (old != null) {
            remove(old);
        }
        return old != null;
    }

    private void remove(Member old) {
        workloads = workloads.without(old);
        old.role.services().forEach((key, _) -> {
            var edit = edit(key);
            if (!edit.added.remove(old)) {
                edit.removed.add(old);
            }
        });
    }

    private Edit edit(String key) {
        return edits.computeIfAbsent(key, _ -> new Edit());
    }

    private void put(Service service) {
        var key = pool.share(service.key());
        var old = backends(key);
        if (service.equals(old.service)) {
            return;
        }
        forget(old);
        names = names.with(service, key);
        services = services.with(key, old.with(shared(service)));
    }

    private Service shared(Service service) {
        return new Service(
                pool.share(service.name()),
                pool.share(service.namespace()),
                pool.share(service.hostname()),
                service.addresses(),
                pool.share(service.ports()),
                pool.share(service.subjectAltNames()),
                pool.share(new ServiceWaypoints(
                        pool.share(service.waypoint()),
                        pool.share(service.weightedWaypoints()),
                        service.ingressWaypoint())),
                pool.share(service.loadBalancing()),
                service.ipFamilies(),
                service.canonical(),
                service.visibility());
    }

    private boolean removeService(String key) {
        var old = services.get(key);
        if (old == null || old.service == null) {
            return false;
        }
        forget(old);
        store(old.withoutService());
        return true;
    }

    private void forget(Backends old) {
        @Nullable Service service = old.service;
        if (service != null) {
            names = names.without(service, old.key);
        }
    }

    private Backends backends(String key) {
        var known = services.get(key);
        return known == null ? Backends.empty(key) : known;
    }

    private void store(Backends changed) {
        services = changed.isNothing() ? services.without(changed.key) : services.with(changed.key, changed);
    }

    private void settle(String key, Edit edit) {
        if (edit.removed.isEmpty() && edit.added.isEmpty()) {
            return;
        }
        var old = backends(key);
        var members = new ArrayList<Member>(old.members.length + edit.added.size());
        for (var member : old.members) {
            if (edit.removed.isEmpty() || !edit.removed.contains(member)) {
                members.add(member);
            }
        }
        members.addAll(edit.added);
        store(old.with(members.toArray(Member[]::new)));
    }
}
