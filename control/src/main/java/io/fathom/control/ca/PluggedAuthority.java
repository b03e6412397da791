// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.MaterialCheck;
import io.fathom.wire.pki.SigningMaterial;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Signs with certificates and a key that somebody else puts into a folder, and follows when they are replaced. A set
/// that does not fit together, or whose roots would cut off clients, is refused; the one in use stays. The files are
/// replaced one by one, so a change counts only once it has been the same for two looks.
public final class PluggedAuthority implements Authority {
    private static final Logger log = LoggerFactory.getLogger(PluggedAuthority.class);
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final Path folder;
    private final RootChange rootChange;
    private final InstantSource clock;
    private final Subscribers subscribers = new Subscribers();
    private volatile Serving serving;
    private @Nullable CaFiles seen;
    private @Nullable CaFiles refused;
    private @Nullable Repeating looks;

    /// Which changes of the roots are taken over without a restart.
    public enum RootChange {
        REFUSED,
        /// For meshes with several roots: a root may come or go as long as clients with the old set trust the new.
        SUBSET_RELATED
    }

    private record Serving(CaFiles files, SigningMaterial material, Instant since, Optional<Problem> problem) {}

    private PluggedAuthority(Path folder, RootChange rootChange, InstantSource clock, CaFiles files) {
        this.folder = folder;
        this.rootChange = rootChange;
        this.clock = clock;
        this.serving = new Serving(files, checked(files), clock.instant(), Optional.empty());
    }

    /// Empty if nothing is plugged in.
    ///
    /// @throws ProblemException if the folder holds an incomplete set, or one that cannot sign
    public static Optional<PluggedAuthority> open(Path folder, RootChange rootChange, InstantSource clock) {
        return CaFiles.read(folder).map(files -> new PluggedAuthority(folder, rootChange, clock, files));
    }

    /// Begins to look for changes in the background.
    public synchronized PluggedAuthority start() {
        if (looks == null) {
            looks = new Repeating("plugged-authority", PAUSE, () -> {
                look();
                return PAUSE;
            });
        }
        return this;
    }

    private SigningMaterial checked(CaFiles files) {
        var material = files.material();
        MaterialCheck.problem(material, clock.instant()).ifPresent(problem -> {
            throw new ProblemException(problem);
        });
        return material;
    }

    /// Looks at the files once.
    synchronized void look() {
        try {
            var files = CaFiles.read(folder).orElseThrow(() -> problem("cacerts-gone", folder + " is empty"));
            var settled = files.equals(seen);
            seen = files;
            if (files.equals(serving.files())) {
                recovered();
            } else if (settled && !files.equals(refused)) {
                takeOver(files);
            }
        } catch (ProblemException e) {
            var settled = seen == null;
            seen = null;
            if (settled) {
                degraded(e.problem());
            }
        }
    }

    private void takeOver(CaFiles files) {
        try {
            var material = checked(files);
            checkRoots(material);
            serving = new Serving(files, material, clock.instant(), Optional.empty());
            refused = null;
            log.atInfo()
                    .addKeyValue(
                            "signer.serial", material.signer().getSerialNumber().toString(16))
                    .addKeyValue("signer.notAfter", material.notAfter())
                    .log("plugged certificates were replaced");
            subscribers.tell();
        } catch (ProblemException e) {
            refused = files;
            degraded(e.problem());
        }
    }

    private void checkRoots(SigningMaterial material) {
        var before = new HashSet<>(serving.material().roots());
        var after = new HashSet<>(material.roots());
        if (before.equals(after)) {
            return;
        }
        if (rootChange == RootChange.REFUSED) {
            throw problem("cacerts-root-changed", "the roots in " + folder + " are not the ones in use");
        }
        if (!before.containsAll(after) && !after.containsAll(before)) {
            throw problem(
                    "cacerts-root-disjoint",
                    "the roots in " + folder + " neither contain the ones in use nor are among them");
        }
    }

    /// What is served is in the folder again.
    private void recovered() {
        var now = serving;
        refused = null;
        if (now.problem().isPresent()) {
            serving = new Serving(now.files(), now.material(), now.since(), Optional.empty());
            subscribers.tell();
        }
    }

    private void degraded(Problem problem) {
        var now = serving;
        if (!now.problem().equals(Optional.of(problem))) {
            log.atError().addKeyValue("problem", problem.code()).log(problem.toString());
            serving = new Serving(now.files(), now.material(), now.since(), Optional.of(problem));
            subscribers.tell();
        }
    }

    private static ProblemException problem(String code, String message) {
        return new ProblemException(new Problem(
                code,
                message + "; the certificates in use stay",
                "put back certificates under the roots in use, or restart to change them",
                Origin.SERVER,
                Retry.SENSIBLE));
    }

    @Override
    public SigningMaterial material() {
        return serving.material();
    }

    @Override
    public List<X509Certificate> roots() {
        return serving.material().roots();
    }

    @Override
    public String revocations() {
        return serving.files().revocations();
    }

    @Override
    public AutoCloseable subscribe(Runnable onChange) {
        return subscribers.add(onChange);
    }

    @Override
    public AuthorityHealth health() {
        var now = serving;
        return AuthorityHealth.of("cacerts", now.material(), now.since(), now.problem(), clock.instant());
    }

    @Override
    public synchronized void close() {
        if (looks != null) {
            looks.close();
        }
    }
}
