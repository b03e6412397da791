// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HttpVisitTest {
    private static HttpVisit visit(String client, long since) {
        return new HttpVisit(client, () -> {}, since);
    }

    @Test
    void givenACrowd_thenItsOldestWhoAreNotAnsweredGo_andOthersStay() {
        var single = visit("10.0.0.1", 0);
        var answered = visit("10.0.0.2", 1);
        answered.enter(HttpVisit.VisitPhase.ANSWERING, 1);
        var crowd = List.of(visit("10.0.0.2", 5), visit("10.0.0.2", 4), visit("10.0.0.2", 3));
        var visits = new ArrayList<>(crowd);
        visits.addAll(List.of(single, answered));

        assertThat(HttpVisit.toLeave(visits, 32)).containsExactly(crowd.get(2), crowd.get(1));
        assertThat(HttpVisit.toLeave(visits, 1)).containsExactly(crowd.get(2));
    }

    @Test
    void givenVisitsOfDifferentClients_thenOneGoes() {
        var visits = List.of(visit("10.0.0.1", 2), visit("10.0.0.2", 1));
        assertThat(HttpVisit.toLeave(visits, 32)).hasSize(1);
        assertThat(HttpVisit.toLeave(List.of(), 32)).isEmpty();
    }
}
