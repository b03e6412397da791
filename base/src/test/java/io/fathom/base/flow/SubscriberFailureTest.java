// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SubscriberFailureTest {
    private final List<String> reported = new ArrayList<>();
    private final Flow flow = new Flow((_, _, bug) -> reported.add(String.valueOf(bug.getMessage())));
    private final Source<String, String> source = flow.source("source");
    private final Table<String, String> table =
            flow.derive("table", source, (_, text) -> text.isEmpty() ? Optional.empty() : Optional.of(text + "!"));
    private final Map<String, String> healthy = new HashMap<>();
    private final Map<String, String> fragile = new HashMap<>();
    private final List<Change<String, String>> last = new ArrayList<>();
    private int failures;

    @BeforeEach
    void subscribe() {
        var _ = flow.subscribe(commit -> {
            last.clear();
            last.addAll(commit.changes(table));
            if (failures-- > 0) {
                throw new IllegalStateException("a bug");
            }
            apply(commit, fragile);
        });
        var _ = flow.subscribe(commit -> apply(commit, healthy)); // after the one that fails
        flow.update(u -> {
            u.put(source, "stays", "1");
            u.put(source, "goes", "1");
        });
    }

    private void apply(Commit commit, Map<String, String> copy) {
        for (var change : commit.changes(table)) {
            change.current().ifPresentOrElse(row -> copy.put(change.key(), row), () -> copy.remove(change.key()));
        }
    }

    @Test
    void givenASubscriberThatThrows_thenOthersGetTheCommitAndTheWriterGoesOn() {
        failures = 2;
        flow.update(u -> u.put(source, "stays", "2"));
        assertThat(healthy).containsEntry("stays", "2!");
        assertThat(fragile).containsEntry("stays", "1!");
        assertThat(reported).containsExactly("a bug");
        assertThat(flow.subscriberFailures()).isEqualTo(2);
    }

    @Test
    void givenASubscriberThatThrowsOnce_thenItIsToldAgainAtOnce() {
        failures = 1;
        flow.update(u -> u.put(source, "stays", "2"));
        assertThat(fragile).isEqualTo(healthy).containsEntry("stays", "2!");
        assertThat(flow.subscriberFailures()).isEqualTo(1);
    }

    @Test
    void givenASubscriberThatMissedUpdates_whenItWorksAgain_thenItGetsAllOfThemAsOne() {
        failures = 4;
        flow.update(u -> {
            u.put(source, "stays", "2");
            u.put(source, "came and went", "1");
        });
        flow.update(u -> {
            u.remove(source, "goes");
            u.remove(source, "came and went");
        });
        assertThat(fragile).isEqualTo(Map.of("stays", "1!", "goes", "1!"));

        flow.update(u -> u.put(source, "comes", "1"));
        assertThat(last)
                .containsExactlyInAnyOrder(
                        new Change.Updated<>("stays", "1!", "2!"),
                        new Change.Removed<>("goes", "1!"),
                        new Change.Added<>("comes", "1!"));
        assertThat(fragile).isEqualTo(healthy);

        flow.update(u -> u.put(source, "stays", "3"));
        assertThat(last).containsExactly(new Change.Updated<>("stays", "2!", "3!"));
    }

    @Test
    void givenAnErrorInASubscriber_thenItIsABugLikeAnyOther() {
        var _ = flow.subscribe(_ -> {
            throw new StackOverflowError();
        });
        flow.update(u -> u.put(source, "stays", "2"));
        assertThat(fragile).isEqualTo(healthy).containsEntry("stays", "2!");
        assertThat(reported).containsExactly("java.lang.StackOverflowError");
    }

    @Test
    void givenAFlowOfTests_thenTheBugEndsTheUpdateAfterAllHaveBeenTold() {
        var strict = new Flow(Failures.rethrown());
        Source<String, String> rows = strict.source("rows");
        var heard = new ArrayList<String>();
        var _ = strict.subscribe(_ -> {
            throw new IllegalStateException("a bug");
        });
        var _ = strict.subscribe(commit -> commit.changes(rows).forEach(change -> heard.add(change.key())));
        assertThatThrownBy(() -> strict.update(u -> u.put(rows, "a", "1"))).hasMessage("a bug");
        assertThat(heard).containsExactly("a");
    }
}
