// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// How a node's rules are made.
///
/// @param forced which iptables, instead of finding out
/// @param hostNamespace where the host's rules belong, such as `/host/proc/1/ns/net`; the process's own if empty
/// @param proc where the host's processes are seen
/// @param lockFile of legacy iptables in pods: their tables are not the host's, so its lock is not either
/// @param patience with one run of a tool
public record RuleConfig(
        RuleContext context,
        Engine engine,
        Optional<IptablesKind> forced,
        Optional<Path> hostNamespace,
        Path proc,
        Path lockFile,
        Duration patience,
        BranchLinks branchLinks) {
    /// Whether probes have to find pods that have network cards of their own, as on AWS.
    public enum BranchLinks {
        FOLLOWED,
        IGNORED
    }

    public enum Engine {
        IPTABLES,
        /// As long as nothing of iptables is in use.
        NFTABLES
    }

    /// Which of the two programs named iptables.
    public enum IptablesKind {
        LEGACY,
        NFT;

        /// The words of `FORCE_IPTABLES_BINARY`; empty means to find out.
        public static Optional<IptablesKind> parse(String word) {
            return switch (word) {
                case "" -> Optional.empty();
                case "legacy" -> Optional.of(LEGACY);
                case "nft" -> Optional.of(NFT);
                default ->
                    throw new ProblemException(Problem.ofInput(
                            "bad-iptables-binary",
                            "there is no kind of iptables \"" + word + "\"",
                            "set FORCE_IPTABLES_BINARY to legacy or nft, or leave it out"));
            };
        }
    }

    public static RuleConfig of(RuleContext context) {
        return new RuleConfig(
                context,
                Engine.IPTABLES,
                Optional.empty(),
                Optional.empty(),
                Path.of("/proc"),
                Path.of("/run/fathom-xtables.lock"),
                Duration.ofSeconds(40),
                BranchLinks.FOLLOWED);
    }

    public RuleConfig withEngine(Engine other) {
        return new RuleConfig(context, other, forced, hostNamespace, proc, lockFile, patience, branchLinks);
    }

    public RuleConfig withForced(Optional<IptablesKind> kind) {
        return new RuleConfig(context, engine, kind, hostNamespace, proc, lockFile, patience, branchLinks);
    }

    /// For an agent in a container: the host's rules in its namespace, its processes under that folder.
    public RuleConfig withHost(Path namespace, Path hostProc) {
        return new RuleConfig(
                context, engine, forced, Optional.of(namespace), hostProc, lockFile, patience, branchLinks);
    }

    public RuleConfig withLockFile(Path file) {
        return new RuleConfig(context, engine, forced, hostNamespace, proc, file, patience, branchLinks);
    }

    public RuleConfig withBranchLinks(BranchLinks other) {
        return new RuleConfig(context, engine, forced, hostNamespace, proc, lockFile, patience, other);
    }
}
