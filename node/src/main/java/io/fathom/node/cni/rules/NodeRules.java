// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.node.cni.rules.RuleConfig.Engine;
import java.util.Optional;

/// All rules of a node, written by the tool that suits it.
///
/// @param engine the tool, for people to read
public record NodeRules(String engine, PodRules pods, HostRules host, ProbeSet probes) {
    /// Looks what the machine has. Fails with a [ProblemException][io.fathom.base.lang.ProblemException] if nothing
    /// there can do what is needed.
    public static NodeRules choose(RuleConfig config) {
        return choose(config, new SystemCommands(config.patience()));
    }

    static NodeRules choose(RuleConfig config, Commands commands) {
        var nft = new Nft(commands);
        if (config.engine() == Engine.NFTABLES
                && nft.isUsable()
                && !IpsetProbes.exist(commands, config.hostNamespace())) {
            return nftables(config, commands, nft);
        }
        return iptables(config, commands);
    }

    private static NodeRules nftables(RuleConfig config, Commands commands, Nft nft) {
        var context = config.context();
        var kubelet = new KubeletUser(config.proc());
        return new NodeRules(
                "nft",
                new NftPodRules(commands, nft, context),
                new NftHostRules(nft, config.hostNamespace(), context, kubelet::uid),
                probes(config, commands, new NftProbes(nft, config.hostNamespace(), context)));
    }

    private static NodeRules iptables(RuleConfig config, Commands commands) {
        var context = config.context();
        var iptables = Iptables.detect(commands, config);
        var host = new IptablesTables(commands, iptables, config.hostNamespace(), Optional.empty());
        return new NodeRules(
                "iptables" + iptables.suffix(),
                new IptablesPodRules(commands, iptables, context, config.lockFile()),
                new IptablesHostRules(host, context),
                probes(config, commands, new IpsetProbes(commands, config.hostNamespace(), context)));
    }

    private static ProbeSet probes(RuleConfig config, Commands commands, ProbeSet sets) {
        return switch (config.branchLinks()) {
            case FOLLOWED -> new BranchProbes(sets, new BranchRoutes(commands, config.hostNamespace()));
            case IGNORED -> sets;
        };
    }
}
