// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.PeerTrust.TrustConsent;
import io.fathom.model.trust.TrustBundle;
import io.fathom.model.trust.TrustRoot;
import io.fathom.tools.link.LinkFinding.FindingSeverity;
import io.fathom.tools.link.LinkStep.LinkAction;
import io.fathom.wire.pki.TrustRoots;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Decides which roots clusters are told of each other. A root that a cluster neither has itself nor pins already is
/// pinned only with consent. Pure.
///
/// @param namespace of the control planes
/// @param exchange whether somebody has agreed to pin roots
record TrustPlanner(String namespace, TrustExchange exchange) {
    /// Whether roots may be pinned that are not known yet.
    enum TrustExchange {
        REFUSED,
        AGREED
    }

    /// All pairs.
    List<TrustStep> link(List<ClusterFacts> clusters) {
        var steps = new ArrayList<TrustStep>();
        for (var here : clusters) {
            for (var there : clusters) {
                if (!there.equals(here) && !there.id().isEmpty()) {
                    pair(here, there).ifPresent(steps::add);
                }
            }
        }
        return steps;
    }

    private Optional<TrustStep> pair(ClusterFacts here, ClusterFacts there) {
        var standing = standing(here, there);
        var wanted = wanted(here, there, standing).map(trust -> TrustShape.of(namespace, trust));
        if (standing.filter(shape -> !shape.isOwned()).isPresent()) {
            return wanted.map(shape -> new TrustStep(
                    here.context(), LinkAction.WITHHELD, shape, standing.get().path() + " is not ours"));
        }
        if (wanted.isEmpty()) {
            // what cannot be seen now may well be there
            return standing.filter(_ -> !there.roots().isEmpty())
                    .map(shape -> new TrustStep(here.context(), LinkAction.REMOVED, shape, "it is not needed"));
        }
        var action = standing.map(
                        shape -> shape.trust().equals(wanted.get().trust()) ? LinkAction.UNCHANGED : LinkAction.CHANGED)
                .orElse(LinkAction.CREATED);
        return Optional.of(new TrustStep(
                here.context(),
                action,
                wanted.get(),
                standing.map(shape -> difference(shape.trust(), wanted.get().trust()))
                        .orElse("")));
    }

    static Optional<TrustShape> standing(ClusterFacts here, ClusterFacts there) {
        return here.bundles().stream()
                .filter(shape -> shape.trust().cluster().equals(there.id()))
                .findFirst();
    }

    /// Empty where one's own roots and domain are the other's, too.
    private Optional<PeerTrust> wanted(ClusterFacts here, ClusterFacts there, Optional<TrustShape> standing) {
        var roots = new TreeSet<>(TrustRoots.of(there.roots()));
        if (exchange == TrustExchange.REFUSED) {
            roots.retainAll(known(here, there, standing));
        }
        var sameDomain = here.trustDomain().equals(there.trustDomain());
        if (roots.isEmpty() || (sameDomain && TrustRoots.of(here.roots()).containsAll(roots))) {
            return Optional.empty();
        }
        return Optional.of(new PeerTrust(
                there.id(),
                TrustBundle.of(there.trustDomain(), roots),
                sameDomain ? TrustConsent.SHARED_DOMAIN : TrustConsent.OWN_DOMAIN));
    }

    /// What a cluster trusts of another by itself, or was told to. Pins count for the domain that they were given for.
    private static Set<TrustRoot> known(ClusterFacts here, ClusterFacts there, Optional<TrustShape> standing) {
        var known = new HashSet<>(TrustRoots.of(here.roots()));
        standing.map(shape -> shape.trust().bundle())
                .filter(bundle -> bundle.trustDomain().equals(there.trustDomain()))
                .ifPresent(bundle -> known.addAll(bundle.roots()));
        return known;
    }

    private static String difference(PeerTrust before, PeerTrust after) {
        var parts = new ArrayList<String>();
        if (!before.bundle().trustDomain().equals(after.bundle().trustDomain())) {
            parts.add("trust domain " + before.bundle().trustDomain() + " to "
                    + after.bundle().trustDomain());
        }
        var more = new TreeSet<>(after.bundle().roots());
        before.bundle().roots().forEach(more::remove);
        var less = new TreeSet<>(before.bundle().roots());
        after.bundle().roots().forEach(less::remove);
        more.forEach(root -> parts.add("+" + RootText.brief(root)));
        less.forEach(root -> parts.add("-" + RootText.brief(root)));
        return String.join(", ", parts);
    }

    /// What stands in the way, or is only worth knowing.
    List<LinkFinding> review(List<ClusterFacts> clusters) {
        var found = new ArrayList<LinkFinding>();
        for (var here : clusters) {
            for (var there : clusters) {
                if (!there.equals(here)
                        && !here.roots().isEmpty()
                        && !there.roots().isEmpty()) {
                    review(here, there).ifPresent(found::add);
                }
            }
        }
        return found;
    }

    private Optional<LinkFinding> review(ClusterFacts here, ClusterFacts there) {
        var theirs = TrustRoots.of(there.roots());
        var known = known(here, there, standing(here, there));
        var foreign = theirs.stream().filter(root -> !known.contains(root)).toList();
        if (exchange == TrustExchange.AGREED) {
            return here.trustDomain().equals(there.trustDomain())
                            && !TrustRoots.of(here.roots()).containsAll(theirs)
                    ? Optional.of(shared(here, there))
                    : Optional.empty();
        }
        if (foreign.isEmpty()) {
            return Optional.empty();
        }
        var names = foreign.stream().map(root -> root.fingerprint()).collect(Collectors.joining(" and "));
        return Optional.of(
                foreign.size() == theirs.size()
                        ? LinkFinding.between(
                                "no-common-root",
                                here,
                                there,
                                here.context() + " trusts " + RootText.of(here.roots()) + ", and " + there.context()
                                        + ", of trust domain " + there.trustDomain() + ", has "
                                        + RootText.of(there.roots()) + ": SHA-256 " + names,
                                "compare the fingerprints with " + there.context()
                                        + ", then link with --exchange-trust; or let both sign with intermediates of"
                                        + " one root (Secret cacerts)")
                        : new LinkFinding(
                                FindingSeverity.WARNING,
                                "root-not-pinned",
                                here.context(),
                                there.context(),
                                there.context() + " has a root that " + here.context() + " does not trust: SHA-256 "
                                        + names,
                                "compare the fingerprint with " + there.context()
                                        + ", then link with --exchange-trust before certificates are signed with it"));
    }

    private static LinkFinding shared(ClusterFacts here, ClusterFacts there) {
        return new LinkFinding(
                FindingSeverity.WARNING,
                "trust-domain-shared",
                here.context(),
                there.context(),
                here.context() + " and " + there.context() + " are both of trust domain " + here.trustDomain()
                        + " and have different roots: with these exchanged each can issue identities of the other",
                "give each cluster a trust domain of its own: trustDomain in MeshConfig");
    }

    /// Everything of ours that stands for one of those clusters.
    static List<TrustStep> unlink(List<ClusterFacts> clusters, Set<String> gone) {
        var steps = new ArrayList<TrustStep>();
        for (var here : clusters) {
            for (var shape : here.bundles()) {
                if (shape.isOwned() && gone.contains(shape.trust().cluster())) {
                    steps.add(new TrustStep(here.context(), LinkAction.REMOVED, shape, ""));
                }
            }
        }
        return steps;
    }

    /// The same for clusters that are not named.
    static List<TrustStep> strays(List<ClusterFacts> clusters) {
        var named = clusters.stream().map(ClusterFacts::id).collect(Collectors.toSet());
        var strays = clusters.stream()
                .flatMap(cluster -> cluster.bundles().stream())
                .map(shape -> shape.trust().cluster())
                .filter(cluster -> !named.contains(cluster))
                .collect(Collectors.toSet());
        return unlink(clusters, strays);
    }
}
