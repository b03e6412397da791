// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.vip;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Folding;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest.Resolution;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Gives the hosts of ServiceEntries without addresses one IPv4 and one IPv6 address each. Pure: the state goes in and
/// out.
///
/// Guarantees that no two hosts hold the same address, that none is one a user wrote into a spec (or in a block there,
/// as far as it reaches into the pools), and that a host keeps its addresses until its entry says otherwise or somebody
/// with a better right wants one of them: a user's spec, or the older of two entries whose status names it. The cost of
/// a round follows the entries that changed.
public final class VipPlanner {
    private static final String OPT_OUT = "networking.istio.io/enable-autoallocate-ip";

    private final IpBlock v4;
    private final IpBlock v6;

    /// @param changes the entries touched in this round; empty for those without automatic addresses
    record VipPlan(VipState state, Map<ObjectKey, Optional<Vips>> changes) {}

    /// Takes the values of `PILOT_IP_AUTOALLOCATE_IPV4_PREFIX` and `PILOT_IP_AUTOALLOCATE_IPV6_PREFIX`.
    public VipPlanner(String v4Prefix, String v6Prefix) {
        this.v4 = parse("PILOT_IP_AUTOALLOCATE_IPV4_PREFIX", v4Prefix, Ip.Family.V4);
        this.v6 = parse("PILOT_IP_AUTOALLOCATE_IPV6_PREFIX", v6Prefix, Ip.Family.V6);
    }

    VipState initial() {
        return VipState.of(v4, v6);
    }

    /// The automatic addresses of every entry that has some, or has a problem with them.
    public Table<ObjectKey, Vips> table(Flow flow, Table<ObjectKey, ServiceEntryManifest> entries) {
        return flow.fold("vips", entries, initial(), (state, changed, inputs, _) -> {
            var plan = plan(state, inputs::find, changed);
            return new Folding.Result<>(plan.state(), plan.changes());
        });
    }

    /// One round: `changed` entries were added, updated or removed.
    ///
    /// @param entries all entries as they are now
    VipPlan plan(
            VipState state,
            Function<ObjectKey, Optional<ServiceEntryManifest>> entries,
            Collection<ObjectKey> changed) {
        return new VipRound(state, entries, changed).run();
    }

    /// Whether any host of this entry may have automatic addresses.
    static boolean isEligible(ServiceEntryManifest entry) {
        return entry.resolution() != Resolution.NONE
                && entry.addresses().isEmpty()
                && !entry.labels().getOrDefault(OPT_OUT, "").equalsIgnoreCase("false");
    }

    /// The hosts that get addresses, once each and in the order written.
    static List<String> eligibleHosts(ServiceEntryManifest entry) {
        return isEligible(entry)
                ? entry.hosts().stream()
                        .filter(host -> !host.startsWith("*") || entry.resolution() == Resolution.DYNAMIC_DNS)
                        .distinct()
                        .toList()
                : List.of();
    }

    private static IpBlock parse(String variable, String text, Ip.Family family) {
        return IpBlock.parse(text)
                .filter(block -> block.address().family() == family && !block.isSingleAddress())
                .map(IpBlock::masked)
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "bad-vip-prefix",
                        variable + "=" + text + " is not an IP" + family.name().toLowerCase(Locale.ROOT)
                                + " block with room for addresses",
                        "write a block like " + (family == Ip.Family.V4 ? "240.240.0.0/16" : "2001:2::/48"))));
    }
}
