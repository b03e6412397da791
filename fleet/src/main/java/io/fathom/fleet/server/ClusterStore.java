// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.work.Parts;
import io.fathom.fleet.store.FileRecord;
import io.fathom.fleet.store.RecordObject;
import io.fathom.fleet.store.RecordTable;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeResource.Scope;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A store in the API server of the cluster that the servers run in: a FleetCluster for each registration, a FleetToken
/// for each token, and the keys in a Secret. Any number of servers share it.
///
/// Changes that exclude each other go through the [ChangeLedger], one after the other. What one cluster says of itself
/// has one writer and goes past it; it is refused if the registration is not what the writer thinks it is.
public final class ClusterStore implements FleetStore {
    private static final Logger log = LoggerFactory.getLogger(ClusterStore.class);
    private static final String GROUP = "fleet.fathom.io";
    private static final String VERSION = "v1alpha1";
    private static final int MOST_ATTEMPTS = 20;
    private static final int NAME_DIGITS = 16;

    private final Parts parts = new Parts();
    private final RecordTable clusters;
    private final RecordTable tokens;
    private final AuthoritySecret authority;
    private final ChangeLedger ledger;
    private Optional<ChangeLedger.Turn> turn = Optional.empty(); // guarded by this; there while a change is made

    private ClusterStore(KubeClient client, String namespace) {
        parts.keep(client);
        try {
            clusters = parts.keep(new RecordTable(client, resource("fleetclusters"), "FleetCluster", namespace));
            tokens = parts.keep(new RecordTable(client, resource("fleettokens"), "FleetToken", namespace));
            authority = new AuthoritySecret(client, namespace);
            ledger = new ChangeLedger(client, namespace);
        } catch (ProblemException e) {
            parts.close();
            throw FleetProblems.notReadable(e);
        }
    }

    private static KubeResource resource(String plural) {
        return new KubeResource(GROUP, VERSION, plural, Scope.NAMESPACE);
    }

    /// Reads what is there.
    ///
    /// @param client closed with the store, also when this fails
    /// @throws ProblemException when the API server does not answer, or lacks the definitions
    public static FleetStore open(KubeClient client, String namespace) {
        return new ClusterStore(client, namespace);
    }

    @Override
    public FileRecord authority(Supplier<FileRecord> made) {
        return authority.read(made);
    }

    @Override
    public Collection<Registration> registrations() {
        return clusters.known().stream()
                .flatMap(object -> readable(object, Registration::of).stream())
                .toList();
    }

    @Override
    public Optional<Registration> registration(String uid) {
        return clusters.known(name(uid)).flatMap(object -> readable(object, Registration::of));
    }

    /// What somebody has spoilt by hand stops nothing else.
    private static <T> Optional<T> readable(RecordObject object, Function<FileRecord, T> reading) {
        try {
            return Optional.of(reading.apply(object.record()));
        } catch (ProblemException | IllegalArgumentException | DateTimeException e) {
            log.atError()
                    .addKeyValue("object", object.name())
                    .addKeyValue("problem", e.getMessage())
                    .log("a record of the fleet makes no sense and is left out");
            return Optional.empty();
        }
    }

    /// UIDs of Kubernetes are names as they are.
    private static String name(String uid) {
        if (uid.matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?")) {
            return uid;
        }
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(uid.getBytes(StandardCharsets.UTF_8));
            return "uid-" + HexFormat.of().formatHex(hash).substring(0, NAME_DIGITS);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /// Counts those that make no sense otherwise, too.
    @Override
    public int nextHandle() {
        return 1
                + clusters.known().stream()
                        .flatMap(object -> object.record().text("handle").stream())
                        .filter(handle -> handle.matches("[0-9]{1,9}"))
                        .mapToInt(Integer::parseInt)
                        .max()
                        .orElse(0);
    }

    @Override
    public synchronized <T> T exclusively(Supplier<T> change) {
        for (var attempt = 1; ; attempt++) {
            try {
                var mine = ledger.begin(this::finish);
                clusters.refresh();
                turn = Optional.of(mine);
                return change.get();
            } catch (ProblemException e) {
                if (attempt == MOST_ATTEMPTS || !isConflict(e)) {
                    throw e;
                }
            } finally {
                turn = Optional.empty();
            }
        }
    }

    private static boolean isConflict(ProblemException e) {
        return e.problem().code().equals("kube-conflict");
    }

    @Override
    public synchronized void keep(Registration before, Registration after) {
        if (turn.isPresent()) {
            var decided = ledger.decide(turn.get(), after.record());
            turn = Optional.of(decided);
            finish(decided);
            return;
        }
        var object = clusters.known(name(after.uid()))
                .filter(known ->
                        readable(known, Registration::of).filter(before::isSame).isPresent())
                .orElseThrow(() -> FleetProblems.changedMeanwhile(after.name()));
        clusters.replace(object, ChangeLedger.numbered(after.record(), ChangeLedger.number(object.record())));
    }

    /// Writes what was decided, unless that or something later is there.
    private void finish(ChangeLedger.Turn decided) {
        var record = decided.record();
        if (record.isEmpty()) {
            return;
        }
        var name = name(record.get().required("uid"));
        for (var attempt = 1; ; attempt++) {
            try {
                var there = clusters.read(name);
                if (there.isEmpty()) {
                    clusters.create(name, record.get());
                } else if (ChangeLedger.number(there.get().record()) < decided.number()) {
                    clusters.replace(there.get(), record.get());
                }
                return;
            } catch (ProblemException e) {
                if (attempt == MOST_ATTEMPTS || !isConflict(e)) {
                    throw e;
                }
            }
        }
    }

    @Override
    public Collection<StoredToken> tokens() {
        return tokens.known().stream()
                .flatMap(object -> readable(object, StoredToken::of).stream())
                .toList();
    }

    @Override
    public Optional<StoredToken> token(String id) {
        return tokens.read(id).flatMap(object -> readable(object, StoredToken::of));
    }

    @Override
    public void issue(StoredToken token) {
        tokens.create(token.id(), token.record());
    }

    @Override
    public void use(StoredToken token, String key) {
        for (var attempt = 1; ; attempt++) {
            var object = tokens.read(token.id()).orElseThrow(FleetProblems::unknownToken);
            var now = StoredToken.of(object.record());
            if (now.usedBy().isPresent()) {
                if (!now.usedBy().get().equals(key)) {
                    throw FleetProblems.used(now);
                }
                return;
            }
            try {
                tokens.replace(object, now.used(key).record());
                return;
            } catch (ProblemException e) {
                if (attempt == MOST_ATTEMPTS || !isConflict(e)) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void forget(StoredToken token) {
        tokens.delete(token.id());
    }

    @Override
    public void follow(Consumer<String> listener) {
        clusters.follow(name -> clusters.known(name)
                .flatMap(object -> object.record().text("uid"))
                .ifPresent(listener));
    }

    @Override
    public void close() {
        parts.close();
    }
}
