// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LikenessTest {
    @Test
    void givenTypingMistakes_thenTheClosestWordIsFound() {
        assertThat(Likeness.closest("serivces", Stream.of("workloads", "services")))
                .hasValue("services");
        assertThat(Likeness.closest("x", Stream.of("workloads"))).isEmpty();
        assertThat(Likeness.distance("abcd", "badc")).isEqualTo(2);
    }

    @Test
    void givenAName_thenSpellingCountsLessThanLetters() {
        var names = List.of("hosts", "policies", "matchLabels", "from", "to", "controllerName", "matches");
        assertThat(Likeness.closestName("match_labels", names)).hasValue("matchLabels");
        assertThat(Likeness.closestName("policy", names)).hasValue("policies");
        assertThat(Likeness.closestName("Host", names)).hasValue("hosts");
        assertThat(Likeness.closestName("form", names)).hasValue("from");
        assertThat(Likeness.closestName("match", names)).hasValue("matches");
        assertThat(Likeness.closestName("controller", names)).hasValue("controllerName");
        assertThat(Likeness.closestName("", names)).isEmpty();
        assertThat(Likeness.closestName("weight", names)).isEmpty();
    }
}
