// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.base.lang.Timeline;
import io.fathom.model.mesh.Identity;
import io.fathom.model.routing.MeshView;
import io.fathom.node.state.NodeState;
import io.fathom.node.state.StateChange;
import io.fathom.node.state.StateListener;
import io.fathom.wire.ca.CertificateSource;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// A certificate store that follows the workloads of this node: fetches when one arrives, forgets with the last
/// one, and gives nothing to identities that do not run here.
public final class LocalCertificates implements StateListener {
    private final LocalIdentities identities;
    private final Supplier<MeshView> view;
    private final CertificateStore store;

    private LocalCertificates(
            Optional<String> node,
            Supplier<MeshView> view,
            CertificateSource source,
            CertificateStore.Config config,
            Timeline timeline) {
        this.identities = new LocalIdentities(node);
        this.view = view;
        this.store = new CertificateStore(source, config, this::runsHere, timeline, RandomGenerator.getDefault());
    }

    /// A store that follows `state`, beginning with what it knows already.
    public static CertificateStore following(
            NodeState state,
            Optional<String> node,
            CertificateSource source,
            CertificateStore.Config config,
            Timeline timeline) {
        var certificates = new LocalCertificates(node, state::view, source, config, timeline);
        var _ = state.follow(certificates);
        return certificates.store;
    }

    @Override
    public void changed(StateChange change) {
        var outcome = identities.update(change.delta());
        outcome.gone().forEach(store::forget);
        outcome.needed().forEach(store::prefetch);
    }

    /// A view is published before its change is told, so a connection may ask for a workload not heard of here
    /// yet.
    private boolean runsHere(Identity identity) {
        if (identities.contains(identity)) {
            return true;
        }
        var found = new boolean[1];
        view.get()
                .forEachLocalWorkload(
                        workload -> found[0] |= workload.identity().equals(Optional.of(identity)));
        return found[0];
    }
}
