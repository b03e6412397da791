// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.control.ca.NodeAuthorizer.TrustedAccounts;
import io.fathom.control.ca.PodDirectory;
import io.fathom.control.ca.jwt.LocalIssuer;
import io.fathom.control.ca.jwt.ServiceAccountName;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives proxies of a mesh without Kubernetes the tokens that Kubernetes would project into their pods: a file
/// `<namespace>/<pod>/istio-token` for each pod of a trusted node account and each pod of a Gateway, readable by its
/// owner only, replaced before it ends and removed with its pod.
final class LocalTokens implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LocalTokens.class);
    private static final Duration LIFETIME = Duration.ofHours(12);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final String FILE = "istio-token";

    private final Path folder;
    private final LocalIssuer issuer;
    private final List<String> audiences;
    private final TrustedAccounts trusted;
    private final Supplier<MeshPods.View> pods;
    private final InstantSource clock;
    private final ScheduledExecutorService timer;
    private final Map<ObjectKey, Written> written = new HashMap<>(); // used by the timer only
    private Optional<MeshPods.View> seen = Optional.empty(); // likewise

    private record Written(PodDirectory.Pod pod, Instant renewAt) {}

    LocalTokens(
            Path folder,
            LocalIssuer issuer,
            List<String> audiences,
            TrustedAccounts trusted,
            Supplier<MeshPods.View> pods,
            InstantSource clock) {
        this.folder = folder;
        this.issuer = issuer;
        this.audiences = List.copyOf(audiences);
        this.trusted = trusted;
        this.pods = pods;
        this.clock = clock;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("local-tokens").factory());
        var _ = timer.scheduleWithFixedDelay(this::look, 0, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            var now = clock.instant();
            var view = pods.get();
            var unchanged = seen.filter(before -> before.equals(view)).isPresent()
                    && written.values().stream().allMatch(each -> now.isBefore(each.renewAt()));
            if (!unchanged) {
                seen = Optional.of(view);
                update(view, now);
            }
        } catch (IOException | RuntimeException e) {
            seen = Optional.empty();
            log.atError().setCause(e).log("tokens of proxies could not be written");
        }
    }

    private void update(MeshPods.View view, Instant now) throws IOException {
        var wanted = new HashMap<ObjectKey, PodDirectory.Pod>();
        view.forEach((key, pod) -> {
            if (trusted.accounts().contains(key.namespace() + "/" + pod.serviceAccount()) || view.isGateway(key)) {
                wanted.put(key, pod);
            }
        });
        for (var gone : written.keySet().stream()
                .filter(key -> !wanted.containsKey(key))
                .toList()) {
            Files.deleteIfExists(file(gone));
            written.remove(gone);
        }
        for (var entry : wanted.entrySet()) {
            var before = written.get(entry.getKey());
            if (before == null || !before.pod().equals(entry.getValue()) || !now.isBefore(before.renewAt())) {
                write(entry.getKey(), entry.getValue(), now);
                written.put(entry.getKey(), new Written(entry.getValue(), now.plus(LIFETIME.dividedBy(2))));
            }
        }
    }

    private void write(ObjectKey key, PodDirectory.Pod pod, Instant now) throws IOException {
        var binding = new LocalIssuer.Binding(
                new ServiceAccountName(key.namespace(), pod.serviceAccount()),
                key.name(),
                pod.uid(),
                pod.node(),
                audiences);
        var file = file(key);
        var parent = folder.resolve(key.namespace()).resolve(key.name());
        Files.createDirectories(parent);
        var draft = Files.createTempFile(
                parent,
                ".token",
                ".tmp",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(draft, issuer.token(binding, LIFETIME, now));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path file(ObjectKey key) {
        return folder.resolve(key.namespace()).resolve(key.name()).resolve(FILE);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
