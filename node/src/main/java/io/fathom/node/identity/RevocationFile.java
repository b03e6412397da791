// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The revocation list in a file, looked at every two seconds. A file that is not there or empty revokes nothing;
/// one that becomes unreadable leaves the last good list in force.
public final class RevocationFile implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RevocationFile.class);
    private static final Duration PERIOD = Duration.ofSeconds(2);

    private final Path file;
    private final Timeline timeline;
    private final List<Consumer<RevocationList>> listeners = new CopyOnWriteArrayList<>();
    private volatile RevocationList current = RevocationList.EMPTY;
    private byte[] seen = {};
    private Timeline.@Nullable Appointment next;
    private boolean closed;

    /// Reads the file and begins to watch it.
    ///
    /// @throws ProblemException when there is something else in it
    public RevocationFile(Path file, Timeline timeline) {
        this.file = file;
        this.timeline = timeline;
        var content = content();
        this.current = RevocationList.parse(file.toString(), content);
        this.seen = digest(content);
        plan();
    }

    public RevocationList current() {
        return current;
    }

    /// Hears of each new list, so that connections can be looked at again.
    public AutoCloseable listen(Consumer<RevocationList> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private synchronized void plan() {
        if (!closed) {
            next = timeline.at(timeline.instant().plus(PERIOD), this::look);
        }
    }

    private void look() {
        try {
            var content = content();
            var digest = digest(content);
            if (!MessageDigest.isEqual(digest, seen)) {
                seen = digest;
                current = RevocationList.parse(file.toString(), content);
                log.atInfo().addKeyValue("file", file).log("revocation list changed");
                listeners.forEach(listener -> listener.accept(current));
            }
        } catch (ProblemException e) {
            log.atWarn()
                    .addKeyValue("code", e.problem().code())
                    .addKeyValue("reason", e.problem())
                    .log("the last good revocation list stays in force");
        } finally {
            plan();
        }
    }

    private byte[] content() {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return new byte[0];
        } catch (IOException e) {
            throw new ProblemException(Problem.ofInput(
                    "crl-unreadable", file + " cannot be read: " + e, "check the file that CRL_PATH names"));
        }
    }

    private static byte[] digest(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has it", e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.close();
        }
    }
}
