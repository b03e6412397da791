// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.ca.CertificateSource;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.TlsIdentity;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// Gives certificates when the test lets it, and remembers who asked in which order.
final class FakeAuthority implements CertificateSource {
    static final Duration LIFETIME = Duration.ofHours(1);

    final List<String> asked = new CopyOnWriteArrayList<>();
    final Semaphore permits = new Semaphore(0);
    volatile @Nullable Problem failure;
    private final SigningMaterial root;
    private final InstantSource clock;

    FakeAuthority(InstantSource clock) {
        this.clock = clock;
        this.root = Certificates.root("test", clock.instant());
    }

    /// From now on nobody waits.
    FakeAuthority open() {
        permits.release(1_000_000);
        return this;
    }

    @Override
    public TlsIdentity fetch(Identity identity) {
        asked.add(identity.serviceAccount());
        permits.acquireUninterruptibly();
        var problem = failure;
        if (problem != null) {
            throw new ProblemException(problem);
        }
        return Certificates.issue(root, identity, LIFETIME, clock.instant());
    }

    void fail(String message) {
        failure = new Problem("ca-unavailable", message, "", Problem.Origin.SERVER, Problem.Retry.SENSIBLE);
    }
}
