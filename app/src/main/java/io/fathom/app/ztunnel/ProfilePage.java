// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.http.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.text.ParseException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/// Records what the program does for some seconds: `GET /debug/pprof/profile?seconds=10` answers with a file for JDK
/// Mission Control or `jfr view hot-methods`. One recording at a time.
final class ProfilePage implements Page {
    private static final int MOST_SECONDS = 300;
    private static final int MOST_FREQUENCY = 1000;

    private final AtomicBoolean busy = new AtomicBoolean();

    @Override
    public Reply reply(Query query) {
        var seconds = number(query, "seconds", 10, MOST_SECONDS);
        var frequency = number(query, "frequency", 50, MOST_FREQUENCY);
        if (seconds.isEmpty() || frequency.isEmpty()) {
            return Reply.text(400, "give seconds=1 to 300 and frequency=1 to 1000");
        }
        if (!busy.compareAndSet(false, true)) {
            return Reply.text(503, "another recording is under way");
        }
        try {
            return new Reply.Binary(record(Duration.ofSeconds(seconds.get()), frequency.get()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ParseException e) {
            throw new IllegalStateException("the JDK's own configuration is readable", e);
        } finally {
            busy.set(false);
        }
    }

    private static byte[] record(Duration length, int frequency) throws IOException, ParseException {
        var file = Files.createTempFile("ztunnel", ".jfr");
        try (var recording = new Recording(Configuration.getConfiguration("profile"))) {
            var period = Duration.ofNanos(TimeUnit.SECONDS.toNanos(1) / frequency);
            recording
                    .enable("jdk.ExecutionSample")
                    .withPeriod(period.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : period);
            recording.start();
            var end = System.nanoTime() + length.toNanos();
            for (var left = length.toNanos(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            recording.stop();
            recording.dump(file);
            return Files.readAllBytes(file);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static Optional<Integer> number(Query query, String name, int fallback, int most) {
        var text = query.parameter(name).orElse(Integer.toString(fallback));
        if (!text.matches("\\d{1,4}")) {
            return Optional.empty();
        }
        return Optional.of(Integer.parseInt(text)).filter(number -> number >= 1 && number <= most);
    }
}
