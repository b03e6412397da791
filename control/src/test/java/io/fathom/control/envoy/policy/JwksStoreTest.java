// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.control.envoy.policy.JwksSource.JwksDocument;
import io.fathom.control.envoy.policy.JwksStore.KeySetState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JwksStoreTest {
    private static final Duration REFRESH = Duration.ofMinutes(20);
    private static final JwksSource A = source("https://a.example/keys");
    private static final JwksSource B = source("https://b.example/keys");

    private final ManualTimeline timeline = new ManualTimeline(Instant.EPOCH);
    private final Map<JwksSource, String> answers = new HashMap<>();
    private final List<JwksSource> asked = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final JwksStore store = new JwksStore(
            this::fetch,
            timeline,
            REFRESH,
            (from, source) ->
                    told.add(from.state(source).map(JwksStoreTest::words).orElse("forgotten")));

    private static JwksSource source(String address) {
        return new JwksSource(JwksDocument.KEY_SET, address, Duration.ofSeconds(5));
    }

    private String fetch(JwksSource source) throws IOException {
        asked.add(source);
        var answer = answers.get(source);
        if (answer == null) {
            throw new IOException("no answer");
        }
        return answer;
    }

    private static String words(KeySetState state) {
        return state.keySet().orElse("none")
                + state.failure().map(why -> ": " + why).orElse("");
    }

    @Test
    void whenWanted_thenItIsFetchedOnceAndThenRefreshed() {
        answers.put(A, "keys 1");
        store.want(A);
        store.want(A);
        timeline.settle();
        assertThat(asked).containsExactly(A);
        assertThat(store.state(A)).hasValue(new KeySetState(Optional.of("keys 1"), Optional.empty()));

        timeline.advance(REFRESH.minusSeconds(1));
        assertThat(asked).hasSize(1);
        timeline.advance(Duration.ofSeconds(1));
        assertThat(asked).hasSize(2);
        assertThat(told).as("nothing new the second time").containsExactly("keys 1");
    }

    @Test
    void givenKeysThatRotate_thenTheNextFetchFindsThem() {
        answers.put(A, "keys 1");
        store.want(A);
        timeline.settle();
        answers.put(A, "keys 2");
        timeline.advance(REFRESH);

        assertThat(told).containsExactly("keys 1", "keys 2");
    }

    @Test
    void givenAnIssuerThatFailsLater_thenTheLastGoodSetStaysAndRetriesComeSooner() {
        answers.put(A, "keys 1");
        store.want(A);
        timeline.settle();
        answers.remove(A);
        timeline.advance(REFRESH);
        assertThat(store.state(A)).hasValue(new KeySetState(Optional.of("keys 1"), Optional.of("no answer")));

        answers.put(A, "keys 2");
        timeline.advance(Duration.ofSeconds(1));
        assertThat(told).containsExactly("keys 1", "keys 1: no answer", "keys 2");
    }

    @Test
    void givenAnIssuerThatNeverAnswered_thenThereIsNoSetAndRetriesGetRare() {
        store.want(A);
        timeline.settle();
        assertThat(told).containsExactly("none: no answer");

        timeline.advance(Duration.ofHours(1));
        assertThat(asked).hasSizeBetween(15, 40);
        assertThat(told).as("told once").hasSize(1);
    }

    @Test
    void whenForgotten_thenItIsNotFetchedAnyMore() {
        answers.put(A, "keys");
        answers.put(B, "keys");
        store.want(A);
        store.want(B);
        timeline.settle();
        store.forget(A);
        assertThat(store.state(A)).isEmpty();
        timeline.advance(REFRESH);

        assertThat(told).containsExactly("keys", "keys", "forgotten");
        assertThat(asked).containsExactly(A, B, B);
    }

    @Test
    void whenClosed_thenNothingHappensAnyMore() {
        store.want(A);
        store.close();
        store.want(B);
        timeline.advance(REFRESH);

        assertThat(asked).isEmpty();
        assertThat(timeline.nextAppointment()).isEmpty();
    }
}
