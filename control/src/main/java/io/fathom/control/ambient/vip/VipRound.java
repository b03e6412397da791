// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import io.fathom.base.flow.PersistentMap;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.input.Age;
import io.fathom.control.ambient.vip.VipPlanner.VipPlan;
import io.fathom.control.ambient.vip.VipState.VipEntry;
import io.fathom.control.ambient.vip.VipState.VipOwner;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/// One round of [VipPlanner]; used once and by one thread.
///
/// First what entries gave up, then what users wrote, then who keeps what (oldest first), and only then new addresses:
/// a new entry must not get an address that another one's status still claims.
final class VipRound {
    private final Function<ObjectKey, Optional<ServiceEntryManifest>> manifests;
    private final Set<ObjectKey> changed;
    private PersistentMap<Ip, VipOwner> owners;
    private PersistentMap<Ip, Set<ObjectKey>> reserved;
    private PersistentMap<ObjectKey, List<IpBlock>> blocks;
    private PersistentMap<ObjectKey, VipEntry> entries;
    private PersistentMap<ObjectKey, Age> starved;
    private final VipWalk v4;
    private final VipWalk v6;
    private final List<IpBlock> pools;

    private final Set<ObjectKey> touched = new HashSet<>();
    private final TreeSet<Age> unsettled = new TreeSet<>();
    private final TreeMap<Age, List<String>> wanting = new TreeMap<>();

    VipRound(
            VipState state,
            Function<ObjectKey, Optional<ServiceEntryManifest>> manifests,
            Collection<ObjectKey> changed) {
        this.manifests = manifests;
        this.changed = Set.copyOf(changed);
        this.owners = state.owners();
        this.reserved = state.reserved();
        this.blocks = state.blocks();
        this.entries = state.entries();
        this.starved = state.starved();
        this.v4 = new VipWalk(state.v4());
        this.v6 = new VipWalk(state.v6());
        this.pools = List.of(state.v4().block(), state.v6().block());
    }

    VipPlan run() {
        changed.forEach(this::giveUp);
        changed.forEach(key -> manifests.apply(key).ifPresent(this::reserve));
        settleAll();
        if (!starved.isEmpty() && !v4.isExhausted() && !v6.isExhausted()) {
            starved.forEach((_, age) -> unsettled.add(age));
            settleAll();
        }
        wanting.forEach((age, hosts) -> hosts.forEach(host -> allot(age, host)));
        var changes = new HashMap<ObjectKey, Optional<Vips>>();
        touched.forEach(key -> changes.put(key, row(key)));
        return new VipPlan(new VipState(owners, reserved, blocks, entries, starved, v4.pool(), v6.pool()), changes);
    }

    /// Frees what the entry, as it is now, does not claim any more, and what it wrote before.
    private void giveUp(ObjectKey key) {
        touched.add(key);
        starved = starved.without(key);
        var manifest = manifests.apply(key);
        var hosts = manifest.map(VipPlanner::eligibleHosts).orElse(List.of());
        var before = entries.find(key).orElse(VipEntry.EMPTY);
        var optedOut = manifest.filter(entry -> !VipPlanner.isEligible(entry)).isPresent();
        var kept = new LinkedHashMap<String, List<Ip>>();
        before.hosts().forEach((host, addresses) -> {
            if (manifest.isPresent() && hosts.contains(host)) {
                kept.put(host, addresses);
                own(addresses, Age.of(manifest.get().metadata()), host); // it may be another age now
            } else {
                release(addresses);
                if (optedOut) {
                    v4.giveBack(addresses);
                    v6.giveBack(addresses);
                }
            }
        });
        before.written().forEach(ip -> unreserve(ip, key));
        if (blocks.containsKey(key)) {
            blocks = blocks.without(key);
            makeRoom();
        }
        store(key, new VipEntry(List.of(), kept));
    }

    private void reserve(ServiceEntryManifest manifest) {
        var key = manifest.key();
        var written = manifest.addresses().stream()
                .map(IpBlock::parse)
                .flatMap(Optional::stream)
                .toList();
        var single = written.stream()
                .filter(IpBlock::isSingleAddress)
                .map(IpBlock::address)
                .distinct()
                .toList();
        var wide = written.stream()
                .filter(block -> !block.isSingleAddress() && reachesPool(block))
                .map(IpBlock::masked)
                .toList();
        for (var ip : single) {
            var holders = new HashSet<>(reserved.find(ip).orElse(Set.of()));
            holders.add(key);
            reserved = reserved.with(ip, Set.copyOf(holders));
            owners.find(ip).ifPresent(this::displace);
        }
        if (!wide.isEmpty()) {
            blocks = blocks.with(key, wide);
            var losers = new HashSet<VipOwner>(); // rare enough to look at every address
            owners.forEach((ip, owner) -> {
                if (wide.stream().anyMatch(block -> block.contains(ip))) {
                    losers.add(owner);
                }
            });
            losers.forEach(this::displace);
        }
        var before = entries.find(key).orElse(VipEntry.EMPTY);
        store(key, new VipEntry(single, before.hosts()));
        unsettled.add(Age.of(manifest.metadata()));
    }

    /// Somebody with a better right wants an address of this host: it gives up all it has and looks for new ones.
    private void displace(VipOwner loser) {
        var key = loser.age().key();
        var before = entries.find(key).orElse(VipEntry.EMPTY);
        var kept = new LinkedHashMap<>(before.hosts());
        var lost = kept.remove(loser.host());
        if (lost != null) {
            release(lost);
            store(key, new VipEntry(before.written(), kept));
        }
        touched.add(key);
        unsettled.add(loser.age());
    }

    private void settleAll() {
        for (var age = unsettled.pollFirst(); age != null; age = unsettled.pollFirst()) {
            manifests.apply(age.key()).ifPresent(this::settle);
        }
    }

    /// Lets the entry keep what its status names, or else what it has, unless somebody has a better right to it.
    /// A status that is no news comes second: it may be older than what the entry has.
    private void settle(ServiceEntryManifest manifest) {
        var age = Age.of(manifest.metadata());
        var key = age.key();
        touched.add(key);
        starved = starved.without(key);
        var before = entries.find(key).orElse(VipEntry.EMPTY);
        before.hosts().values().forEach(this::disown);
        var assigned = assigned(manifest);
        var kept = new LinkedHashMap<String, List<Ip>>();
        var without = new ArrayList<String>();
        for (var host : VipPlanner.eligibleHosts(manifest)) {
            var held = before.hosts().getOrDefault(host, List.of());
            var named = assigned.getOrDefault(host, List.of());
            Stream.of(changed.contains(key) ? named : held, changed.contains(key) ? held : named)
                    .filter(claim -> !claim.isEmpty() && claim.stream().allMatch(ip -> isOurs(ip, manifest, host)))
                    .findFirst()
                    .ifPresentOrElse(claim -> kept.put(host, grant(age, host, claim)), () -> without.add(host));
        }
        if (!kept.equals(before.hosts())) {
            makeRoom();
            store(key, new VipEntry(before.written(), kept));
        }
        if (without.isEmpty()) {
            wanting.remove(age);
        } else {
            wanting.put(age, without);
        }
    }

    /// What a status names is stronger than what is only planned: it may be the plan of another control plane, which
    /// node proxies know already.
    private boolean isOurs(Ip ip, ServiceEntryManifest manifest, String host) {
        if (reserved.containsKey(ip) || inBlock(ip).isPresent()) {
            return false;
        }
        var owner = owners.get(ip);
        if (owner == null) {
            return true;
        }
        var written = Vips.names(manifest, host, ip);
        return written == isWritten(ip, owner) ? Age.of(manifest.metadata()).compareTo(owner.age()) < 0 : written;
    }

    private boolean isWritten(Ip ip, VipOwner owner) {
        return manifests
                .apply(owner.age().key())
                .filter(manifest -> Vips.names(manifest, owner.host(), ip))
                .isPresent();
    }

    private List<Ip> grant(Age age, String host, List<Ip> addresses) {
        addresses.forEach(ip -> owners.find(ip).ifPresent(this::displace));
        own(addresses, age, host);
        return addresses;
    }

    private void allot(Age age, String host) {
        var first = v4.take(this::occupied);
        var second = first.isEmpty() ? Optional.<Ip>empty() : v6.take(this::occupied);
        if (first.isEmpty() || second.isEmpty()) {
            first.ifPresent(ip -> v4.giveBack(List.of(ip)));
            starved = starved.with(age.key(), age);
            return;
        }
        var before = entries.find(age.key()).orElse(VipEntry.EMPTY);
        var hosts = new LinkedHashMap<>(before.hosts());
        hosts.put(host, grant(age, host, List.of(first.get(), second.get())));
        store(age.key(), new VipEntry(before.written(), hosts));
    }

    private Optional<Vips> row(ObjectKey key) {
        var held = entries.find(key).orElse(VipEntry.EMPTY).hosts();
        var hosts = manifests.apply(key).map(VipPlanner::eligibleHosts).orElse(List.of());
        var byHost = new LinkedHashMap<String, List<Ip>>();
        hosts.stream().filter(held::containsKey).forEach(host -> byHost.put(host, held.getOrDefault(host, List.of())));
        var problem = starved.containsKey(key) ? Optional.of(exhausted(key)) : Optional.<Problem>empty();
        return byHost.isEmpty() && problem.isEmpty() ? Optional.empty() : Optional.of(new Vips(byHost, problem));
    }

    private Problem exhausted(ObjectKey key) {
        return new Problem(
                "vips-exhausted",
                "no automatic address left in " + pools + " for ServiceEntry " + key.path(),
                "set PILOT_IP_AUTOALLOCATE_IPV4_PREFIX and PILOT_IP_AUTOALLOCATE_IPV6_PREFIX to larger blocks, or write"
                        + " spec.addresses",
                Problem.Origin.MESH,
                Problem.Retry.SENSIBLE);
    }

    private Optional<Ip> occupied(Ip ip) {
        return inBlock(ip)
                .map(IpBlock::last)
                .or(() -> owners.containsKey(ip) || reserved.containsKey(ip) ? Optional.of(ip) : Optional.empty());
    }

    private Optional<IpBlock> inBlock(Ip ip) {
        if (blocks.isEmpty()) {
            return Optional.empty();
        }
        for (var written : blocks) {
            for (var block : written.getValue()) {
                if (block.contains(ip)) {
                    return Optional.of(block);
                }
            }
        }
        return Optional.empty();
    }

    private boolean reachesPool(IpBlock block) {
        return pools.stream().anyMatch(pool -> pool.contains(block.address()) || block.contains(pool.address()));
    }

    private void release(List<Ip> addresses) {
        disown(addresses);
        makeRoom();
    }

    private void own(List<Ip> addresses, Age age, String host) {
        for (var ip : addresses) {
            owners = owners.with(ip, new VipOwner(age, host));
        }
    }

    private void disown(List<Ip> addresses) {
        for (var ip : addresses) {
            owners = owners.without(ip);
        }
    }

    private void unreserve(Ip ip, ObjectKey key) {
        var holders = new HashSet<>(reserved.find(ip).orElse(Set.of()));
        holders.remove(key);
        reserved = holders.isEmpty() ? reserved.without(ip) : reserved.with(ip, Set.copyOf(holders));
        makeRoom();
    }

    private void makeRoom() {
        v4.makeRoom();
        v6.makeRoom();
    }

    private void store(ObjectKey key, VipEntry entry) {
        entries = entry.equals(VipEntry.EMPTY) ? entries.without(key) : entries.with(key, entry);
    }

    private static Map<String, List<Ip>> assigned(ServiceEntryManifest manifest) {
        var byHost = new HashMap<String, List<Ip>>();
        for (var address : manifest.assigned()) {
            var ofHost = byHost.computeIfAbsent(address.host(), _ -> new ArrayList<>());
            Ip.parse(address.value()).filter(ip -> !ofHost.contains(ip)).ifPresent(ofHost::add);
        }
        return byHost;
    }
}
