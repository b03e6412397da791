// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.rules.Difference.DifferenceKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Rules in pods by nftables. All tables change at once, so nothing has to be stopped meanwhile, and what differs is
/// always repaired.
final class NftPodRules implements PodRules {
    private final Nft nft;
    private final RuleContext context;
    private final MarkRoutes routes;

    NftPodRules(Commands commands, Nft nft, RuleContext context) {
        this.nft = nft;
        this.context = context;
        this.routes = new MarkRoutes(commands, context);
    }

    @Override
    public Applied apply(Path namespace, CaptureSettings settings) {
        routes.add(namespace);
        var where = Optional.of(namespace);
        var plans = PodPlan.of(settings, context);
        var actual = nft.list(where);
        var expected = expected(plans);
        if (differences(expected, actual).isEmpty()) {
            return Applied.UNCHANGED;
        }
        nft.change(where, NftChange.pod(plans, actual.chainsNotIn(expected)));
        return actual.hasOwnTables() ? Applied.REPLACED : Applied.WRITTEN;
    }

    @Override
    public void remove(Path namespace) {
        try {
            nft.change(Optional.of(namespace), NftChange.removal());
            routes.remove(namespace);
        } catch (ProblemException e) {
            if (Files.exists(namespace)) {
                throw e;
            }
        }
    }

    @Override
    public List<Difference> inspect(Path namespace, CaptureSettings settings) {
        var differences = new ArrayList<>(routes.inspect(namespace));
        var actual = nft.list(Optional.of(namespace));
        differences.addAll(differences(expected(PodPlan.of(settings, context)), actual));
        return differences;
    }

    private NftListing expected(List<RulePlan> plans) {
        return nft.expected(NftChange.pod(plans, Map.of()));
    }

    private static List<Difference> differences(NftListing expected, NftListing actual) {
        var differences = new ArrayList<>(Nft.compare(expected, actual));
        actual.chainsNotIn(expected)
                .forEach((table, chains) -> chains.forEach(chain ->
                        differences.add(new Difference(DifferenceKind.UNEXPECTED, table + " " + chain, "the chain"))));
        return differences;
    }
}
