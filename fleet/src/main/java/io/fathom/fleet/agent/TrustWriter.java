// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sees to it that the roots of other clusters are where the control plane looks for them. Nobody is asked while there
/// is nothing to write or to remove. For one thread.
final class TrustWriter {
    private static final Logger log = LoggerFactory.getLogger(TrustWriter.class);
    private static final Duration RECHECK = Duration.ofSeconds(30);

    /// What should be there.
    ///
    /// @param left whether the cluster is no member any more
    record Wanted(List<TrustManifest> bundles, Set<String> withdrawn, boolean left) {
        Wanted {
            bundles = List.copyOf(bundles);
            withdrawn = Set.copyOf(withdrawn);
        }
    }

    private final GatewayOutput output;
    private final String namespace;
    private Optional<Wanted> done = Optional.empty();
    private Instant next = Instant.EPOCH;
    private Optional<Problem> problem = Optional.empty();

    /// @param namespace of the control plane
    TrustWriter(GatewayOutput output, String namespace) {
        this.output = output;
        this.namespace = namespace;
    }

    /// What kept it from being written.
    Optional<Problem> problem() {
        return problem;
    }

    /// @param ownDomain the trust domain of this cluster
    /// @param left whether it is no member any more
    /// @param manifests roots of other clusters that the source has
    void write(String ownDomain, PeerBook book, boolean left, Collection<TrustBundleManifest> manifests, Instant now) {
        var wanted = new Wanted(TrustPlan.wanted(namespace, ownDomain, book.peers()), book.withdrawn(), left);
        var isNew = !done.equals(Optional.of(wanted));
        if (now.isBefore(next) && !isNew) {
            return;
        }
        next = now.plus(RECHECK);
        if (wanted.bundles().isEmpty() && wanted.withdrawn().isEmpty() && !left) {
            problem = Optional.empty();
            return;
        }
        try {
            apply(wanted, manifests);
            done = Optional.of(wanted);
            problem = Optional.empty();
        } catch (ProblemException e) {
            if (!problem.map(Problem::code).equals(Optional.of(e.problem().code()))) {
                log.atWarn()
                        .addKeyValue("code", e.problem().code())
                        .addKeyValue("problem", e.problem())
                        .log("roots of other clusters cannot be written");
            }
            problem = Optional.of(e.problem());
            done = Optional.of(wanted); // again at the next recheck
        }
    }

    private void apply(Wanted wanted, Collection<TrustBundleManifest> manifests) {
        var existing = output.trusts(namespace, manifests);
        var plan = wanted.left()
                ? TrustPlan.farewell(existing)
                : TrustPlan.of(wanted.bundles(), wanted.withdrawn(), existing);
        for (var bundle : plan.puts()) {
            output.put(bundle);
            log.atInfo()
                    .addKeyValue("cluster", bundle.trust().cluster())
                    .addKeyValue("trustDomain", bundle.trust().bundle().trustDomain())
                    .addKeyValue("roots", bundle.trust().bundle().roots())
                    .log("roots written");
        }
        for (var bundle : plan.removals()) {
            output.remove(bundle);
            log.atInfo().addKeyValue("cluster", bundle.cluster()).log("roots removed");
        }
    }
}
