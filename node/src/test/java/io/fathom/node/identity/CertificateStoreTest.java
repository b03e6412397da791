// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import static io.fathom.node.identity.Certificates.identity;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.base.testkit.ManualTimeline;
import io.fathom.model.mesh.Identity;
import io.fathom.node.identity.CertificateAnswer.Available;
import io.fathom.node.identity.CertificateAnswer.Missing;
import io.fathom.wire.pki.TlsIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cases 60 to 66 of the fact sheet, with time moved by hand.
@Timeout(30)
class CertificateStoreTest {
    private static final Identity A = identity("a");

    private final ManualTimeline timeline = new ManualTimeline(Certificates.NOW);
    private final FakeAuthority authority = new FakeAuthority(timeline);
    private CertificateStore store = store(8);

    private CertificateStore store(int atOnce) {
        return new CertificateStore(
                authority,
                new CertificateStore.Config(atOnce, Duration.ofSeconds(10)),
                id -> !id.serviceAccount().equals("foreign"),
                timeline,
                new Random(1));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void givenOneWorker_thenTheUrgentComeFirst_andRenewalsFollowInOrder_case60() throws Exception {
        store = store(1);
        store.prefetch(identity("id1"));
        await().until(() -> authority.asked.size() == 1);
        store.prefetch(identity("id2"));
        store.prefetch(identity("id3"));
        var urgent = store.require(identity("id4"));
        authority.permits.release();
        await().until(() -> authority.asked.size() == 2);
        authority.permits.release();
        assertThat(urgent.get(10, TimeUnit.SECONDS)).isInstanceOf(Available.class);
        authority.open();
        await().until(() -> store.current(identity("id3")).isPresent());
        assertThat(authority.asked).containsExactly("id1", "id4", "id2", "id3");

        timeline.advance(Duration.ofMinutes(40));
        await().until(() -> authority.asked.size() == 8);
        assertThat(authority.asked.subList(4, 8)).containsExactlyInAnyOrder("id1", "id2", "id3", "id4");
    }

    @Test
    void givenQueuedWarmups_whenOneIsRequired_thenItIsRaised_case61() {
        store = store(1);
        store.prefetch(identity("first"));
        await().until(() -> authority.asked.size() == 1);
        store.prefetch(identity("second"));
        store.prefetch(identity("third"));
        var _ = store.require(identity("third"));
        authority.open();
        await().until(() -> authority.asked.size() == 3);
        assertThat(authority.asked).containsExactly("first", "third", "second");
    }

    @Test
    void givenSeveralWhoAsk_thenOneFetch_case62() throws Exception {
        var first = store.require(A);
        store.prefetch(A);
        var second = store.require(A);
        authority.open();
        assertThat(available(first)).isSameAs(available(second));
        assertThat(available(store.require(A))).isSameAs(available(first));
        assertThat(authority.asked).containsExactly("a");
    }

    @Test
    void givenSeveralIdentities_thenTheyAreFetchedAtTheSameTimeUpToTheLimit_case63() {
        store = store(4);
        for (int i = 0; i < 6; i++) {
            store.prefetch(identity("id" + i));
        }
        await().until(() -> authority.permits.getQueueLength() == 4);
        assertThat(authority.asked).hasSize(4);
        authority.open();
        await().until(() -> authority.asked.size() == 6);
    }

    @Test
    void givenAPendingFetch_whenForgotten_thenTheWaiterIsToldAndTheResultDropped_case64() throws Exception {
        var waiting = store.require(A);
        await().until(() -> authority.asked.size() == 1);
        store.forget(A);
        assertThat(problem(waiting)).isEqualTo("identity-forgotten");
        authority.open();
        await().until(() -> authority.permits.getQueueLength() == 0);
        assertThat(store.current(A)).isEmpty();
        assertThat(store.states()).isEmpty();
    }

    @Test
    void givenAFailure_thenItIsToldAtOnceUntilTheRetry_andTheDelayDoubles_case65() throws Exception {
        authority.open().fail("no route");
        assertThat(problem(store.require(A))).isEqualTo("certificate-unavailable");
        var again = store.require(A);
        assertThat(again).as("no second attempt before its time").isDone();
        assertThat(((Missing) again.get()).problem().message()).contains("no route");
        assertThat(authority.asked).hasSize(1);
        assertThat(store.states().getFirst().text()).isEqualTo("Unavailable: no route");

        timeline.advance(Duration.ofMillis(700));
        assertThat(authority.asked).hasSize(1);
        timeline.advance(Duration.ofMillis(600));
        await().until(() -> timeline.nextAppointment().isPresent() && authority.asked.size() == 2);
        await().until(() -> store.require(A).isDone());
        timeline.advance(Duration.ofMillis(1500));
        assertThat(authority.asked).hasSize(2);

        authority.failure = null;
        timeline.advance(Duration.ofSeconds(1));
        await().until(() -> store.current(A).isPresent());
        assertThat(store.states().getFirst().text()).isEqualTo("Available");
    }

    @Test
    void givenAFailedRenewal_thenTheOldCertificateIsKeptUntilItEnds_case66() throws Exception {
        authority.open();
        var first = available(store.require(A));
        authority.fail("gone");
        timeline.advance(Duration.ofMinutes(40));
        await().until(() -> authority.asked.size() > 1);
        assertThat(available(store.require(A))).isSameAs(first);
        await().until(() -> store.states().getFirst().error().isPresent());
        assertThat(store.states().getFirst().text()).isEqualTo("Available");

        timeline.advanceTo(first.notAfter());
        assertThat(store.current(A)).isEmpty();
        await().until(() -> store.require(A).isDone());
        assertThat(problem(store.require(A))).isEqualTo("certificate-unavailable");
    }

    @Test
    void whenTheRootIsAnotherOne_thenEverythingIsFetchedAnew_andServesUntilThen() throws Exception {
        authority.open();
        var first = available(store.require(A));
        authority.permits.drainPermits();
        store.renewAll();
        await().until(() -> authority.asked.size() == 2);
        assertThat(available(store.require(A))).isSameAs(first);
        authority.open();
        await().untilAsserted(() -> assertThat(available(store.require(A))).isNotSameAs(first));
        timeline.advance(Duration.ofMinutes(20));
        assertThat(authority.asked).hasSize(2);
    }

    @Test
    void givenAFetchUnderWay_whenTheRootIsAnotherOne_thenItIsFetchedOnceMore() throws Exception {
        var waiting = store.require(A);
        await().until(() -> authority.asked.size() == 1);
        store.renewAll();
        authority.open();
        var first = available(waiting);
        await().until(() -> timeline.nextAppointment().isPresent());
        timeline.advance(Duration.ofSeconds(1));
        await().untilAsserted(() -> assertThat(available(store.require(A))).isNotSameAs(first));
        assertThat(authority.asked).hasSize(2);
    }

    @Test
    void givenFailures_whenTheRootIsAnotherOne_thenNobodyWaitsForTheRetry() throws Exception {
        authority.open().fail("unknown authority");
        assertThat(problem(store.require(A))).isEqualTo("certificate-unavailable");
        authority.failure = null;
        store.renewAll();
        await().until(() -> store.current(A).isPresent());
    }

    @Test
    void givenAnAuthorityThatDoesNotAnswer_thenTheWaitEndsAndIsNoDenial() throws Exception {
        var waiting = store.require(A);
        timeline.advance(Duration.ofSeconds(10));
        assertThat(problem(waiting)).isEqualTo("certificate-pending");
        assertThat(store.states().getFirst().text()).isEqualTo("Initializing");
        authority.open();
        await().until(() -> store.current(A).isPresent());
    }

    @Test
    void givenAnIdentityThatDoesNotRunHere_thenNothingIsAskedFor() throws Exception {
        assertThat(problem(store.require(identity("foreign")))).isEqualTo("identity-not-on-node");
        assertThat(authority.asked).isEmpty();
    }

    @Test
    void givenListeners_thenTheyHearOfEachCertificate() {
        authority.open();
        List<String> heard = new CopyOnWriteArrayList<>();
        var _ = store.listen(new CertificateListener() {
            @Override
            public void renewed(Identity identity, TlsIdentity certificate) {
                heard.add("renewed " + identity.serviceAccount());
            }

            @Override
            public void forgotten(Identity identity) {
                heard.add("forgotten " + identity.serviceAccount());
            }
        });
        store.prefetch(A);
        await().until(() -> heard.size() == 1);
        timeline.advance(Duration.ofMinutes(40));
        await().until(() -> heard.size() == 2);
        store.forget(A);
        assertThat(heard).containsExactly("renewed a", "renewed a", "forgotten a");
        timeline.advance(Duration.ofHours(2));
        assertThat(authority.asked).as("nothing is renewed that was forgotten").hasSize(2);
    }

    @Test
    void whenClosed_thenWhoeverWaitsIsTold() throws Exception {
        var waiting = store.require(A);
        store.close();
        assertThat(problem(waiting)).isEqualTo("node-stopping");
        assertThat(store.require(A)).isDone();
    }

    private static TlsIdentity available(CompletableFuture<CertificateAnswer> answer) throws Exception {
        return ((Available) answer.get(10, TimeUnit.SECONDS)).certificate();
    }

    private static String problem(CompletableFuture<CertificateAnswer> answer) throws Exception {
        return ((Missing) answer.get(10, TimeUnit.SECONDS)).problem().code();
    }
}
