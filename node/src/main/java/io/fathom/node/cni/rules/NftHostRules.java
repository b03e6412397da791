// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/// The host's rules by nftables. They hold for sockets of the user that runs the kubelet, looked up at each call.
final class NftHostRules implements HostRules {
    private final Nft nft;
    private final Optional<Path> namespace;
    private final RuleContext context;
    private final IntSupplier prober;

    NftHostRules(Nft nft, Optional<Path> namespace, RuleContext context, IntSupplier prober) {
        this.nft = nft;
        this.namespace = namespace;
        this.context = context;
        this.prober = prober;
    }

    @Override
    public void install() {
        nft.change(namespace, NftChange.host(plans()));
    }

    @Override
    public void remove() {
        nft.change(namespace, NftChange.hostRemoval(plans()));
    }

    @Override
    public List<Difference> inspect() {
        var expected = nft.expected(NftProbes.sets(context) + NftChange.host(plans()));
        return Nft.compare(expected, nft.list(namespace));
    }

    private List<RulePlan> plans() {
        return HostPlan.of(context, prober.getAsInt());
    }
}
