// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.trust;

import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.MeshSettings;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.model.trust.PeerTrust;
import io.fathom.model.trust.TrustBundle;
import io.fathom.model.trust.TrustMap;
import io.fathom.model.trust.TrustMerge;
import io.fathom.model.trust.TrustMerge.OwnTrust;
import io.fathom.model.trust.TrustMerge.RefusedTrust;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshRoots;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What is trusted now. One row, as what one bundle may do depends on all others.
public final class TrustTables {
    private static final String ALL = "all";

    private final Flow flow;
    private final Source<String, Set<TrustRoot>> ownRoots;
    private final Source<String, String> revocations;
    private final Index<String, ObjectKey, TrustBundleManifest> bundles;
    private final Table<String, TrustMerge> merges;
    private final Table<String, BundleTrust> proxies;
    private final Table<ProblemKey, ObjectProblem> problems;

    /// What proxies verify peers with, where the roots of their own certificates are not all.
    ///
    /// @param revocation another one after each time that something was withdrawn; empty before the first
    public record BundleTrust(String revocation) {}

    public TrustTables(Flow flow, Inputs inputs) {
        this.flow = flow;
        ownRoots = flow.source("trust/own-roots");
        revocations = flow.source("trust/revocations");
        bundles = flow.index("trust/bundles", inputs.of(TrustBundleManifest.class), _ -> Set.of(ALL));
        merges = flow.derive("trust", inputs.mesh(), (fetch, settings) -> Optional.of(merge(fetch, settings)));
        proxies = flow.derive("trust/proxies", inputs.mesh(), this::proxies);
        problems = flow.deriveMany(
                "trust/problems",
                inputs.of(TrustBundleManifest.class),
                (fetch, bundle) -> ObjectProblem.rows(fetch.one(merges, MeshSettings.KEY).stream()
                        .flatMap(merge -> merge.refused().stream())
                        .filter(refused -> refused.trust().equals(bundle.trust()))
                        .map(refused ->
                                ObjectProblem.error(ManifestId.of(bundle), "data.trust-domain", problem(refused)))
                        .toList()));
    }

    /// The roots of our own authority, as they are now. Not from within a commit.
    public void ownRoots(Set<TrustRoot> roots) {
        flow.update(update -> update.put(ownRoots, MeshSettings.KEY, Set.copyOf(roots)));
    }

    /// Something was withdrawn: proxies have to look at their connections again. Not from within a commit.
    public void revoked(String mark) {
        flow.update(update -> update.put(revocations, MeshSettings.KEY, mark));
    }

    /// Empty as long as our own roots are not known.
    public TrustMap map(Cut cut) {
        return cut.of(ownRoots).find(MeshSettings.KEY).isEmpty()
                ? TrustMap.NOTHING
                : cut.of(merges).find(MeshSettings.KEY).map(TrustMerge::map).orElse(TrustMap.NOTHING);
    }

    /// The same during a derivation.
    public Optional<TrustMap> map(Fetch<?> fetch) {
        return fetch.one(ownRoots, MeshSettings.KEY)
                .flatMap(_ -> fetch.one(merges, MeshSettings.KEY))
                .map(TrustMerge::map);
    }

    /// No row while our own roots are all that there is.
    public Optional<BundleTrust> ofProxies(Fetch<?> fetch) {
        return fetch.one(proxies, MeshSettings.KEY);
    }

    /// Bundles that do not count.
    public Table<ProblemKey, ObjectProblem> problems() {
        return problems;
    }

    private TrustMerge merge(Fetch<String> fetch, MeshSettings settings) {
        var own = new OwnTrust(
                settings.trustDomain(),
                Set.copyOf(settings.trustDomainAliases()),
                fetch.one(ownRoots, MeshSettings.KEY).orElse(Set.of()));
        return TrustMerge.of(own, configured(settings), peers(fetch));
    }

    /// The oldest first, whatever order they came in.
    private List<PeerTrust> peers(Fetch<?> fetch) {
        return fetch.all(bundles, ALL).stream()
                .sorted(Comparator.comparing(TrustBundleManifest::metadata, Metadata.OLDEST_FIRST))
                .map(TrustBundleManifest::trust)
                .toList();
    }

    /// Roots for which MeshConfig names no domain are of our own and its aliases.
    private static List<TrustBundle> configured(MeshSettings settings) {
        var found = new ArrayList<TrustBundle>();
        for (var roots : settings.caCertificates()) {
            domains(settings, roots).forEach(domain -> found.add(TrustBundle.of(domain, roots.roots())));
        }
        return found;
    }

    private static List<String> domains(MeshSettings settings, MeshRoots roots) {
        if (!roots.trustDomains().isEmpty()) {
            return roots.trustDomains();
        }
        var own = new ArrayList<>(List.of(settings.trustDomain()));
        own.addAll(settings.trustDomainAliases());
        return own;
    }

    private Optional<BundleTrust> proxies(Fetch<String> fetch, MeshSettings settings) {
        return settings.caCertificates().isEmpty() && peers(fetch).isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new BundleTrust(fetch.one(revocations, MeshSettings.KEY).orElse("")));
    }

    private static Problem problem(RefusedTrust refused) {
        var trust = refused.trust();
        var owner = refused.owner().isEmpty() ? "this cluster" : "cluster " + refused.owner();
        return Problem.ofInput(
                "trust-domain-taken",
                "cluster " + trust.cluster() + " has other roots for trust domain "
                        + trust.bundle().trustDomain() + ", which is that of " + owner
                        + ": they do not count, as either could issue identities of the other",
                "give each cluster a trust domain of its own (trustDomain in MeshConfig), or agree with fathomctl"
                        + " multicluster link --exchange-trust");
    }
}
