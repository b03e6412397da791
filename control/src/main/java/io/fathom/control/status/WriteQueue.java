// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.lang.Timeline;
import io.fathom.base.work.WorkQueue;
import io.fathom.base.work.WorkSettings;
import io.fathom.control.status.WriteObserver.WriteResult;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Objects to look at, at a bounded rate, and counted. What fails is tried again a bounded number of times, see
/// [WorkQueue]. [#close()] drops what waits and returns when nobody writes any more.
final class WriteQueue<K> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WriteQueue.class);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /// Another leader may write once we are closed, so calls under way are waited for; they have timeouts of their own.
    private static final Duration LAST_WRITES = Duration.ofDays(1);

    private final WorkQueue<K> queue;

    /// Brings one object up to date. Failures are [io.fathom.base.lang.ProblemException]s.
    interface Work<K> {
        WriteResult look(K key);
    }

    private WriteQueue(WorkQueue<K> queue) {
        this.queue = queue;
    }

    static <K> WriteQueue<K> start(String name, StatusDesk desk, Function<K, String> kind, Work<K> work) {
        return start(name, desk.settings(), desk.timeline(), desk.observer(), kind, work);
    }

    static <K> WriteQueue<K> start(
            String name,
            WriteSettings settings,
            Timeline timeline,
            WriteObserver observer,
            Function<K, String> kind,
            Work<K> work) {
        var queue = new WorkQueue<K>(
                settings(settings),
                timeline,
                key -> {
                    observer.looked(kind.apply(key), work.look(key));
                    return WorkQueue.WorkResult.DONE;
                },
                (key, failure) -> failed(observer, kind.apply(key), key, failure));
        return new WriteQueue<>(queue.start(name));
    }

    private static WorkSettings settings(WriteSettings settings) {
        return new WorkSettings(
                settings.writers(),
                settings.firstPause(),
                LONGEST_PAUSE,
                settings.attempts(),
                Optional.of(new WorkSettings.Rate(settings.perSecond(), settings.burst())),
                LAST_WRITES);
    }

    private static <K> void failed(WriteObserver observer, String kind, K key, WorkQueue.Failure failure) {
        switch (failure.next()) {
            case TRY_AGAIN -> observer.looked(kind, WriteResult.RETRIED);
            case GIVE_UP -> {
                var problem = failure.problem();
                observer.looked(kind, WriteResult.FAILED);
                observer.problem(key.toString(), problem);
                log.atWarn()
                        .addKeyValue("object", key)
                        .addKeyValue("code", problem.code())
                        .addKeyValue("problem", problem)
                        .log("a status is not written");
            }
        }
    }

    void add(Collection<K> keys) {
        queue.addAll(keys);
    }

    int size() {
        return queue.size();
    }

    @Override
    public void close() {
        queue.close();
    }
}
