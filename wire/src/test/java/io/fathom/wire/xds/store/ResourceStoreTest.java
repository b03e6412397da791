// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import static io.fathom.wire.xds.Fixture.addresses;
import static io.fathom.wire.xds.Fixture.pod;
import static io.fathom.wire.xds.store.XdsType.ADDRESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.xds.Fixture;
import io.fathom.wire.xds.ManualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourceStoreTest {
    private static final String POD = "Kubernetes//Pod/default/";
    private final ResourceStore store = new ResourceStore(new ManualClock(), new StoreLimits(3, 100, 4), 1_000_000);

    @Test
    void givenNothingPublished_thenNotReadyUntilSaidSo() {
        assertThat(store.isReady()).isFalse();
        store.markReady();
        assertThat(store.isReady()).isTrue();
        assertThat(store.head().sequence()).isZero();
    }

    @Test
    void whenPublished_thenReadyAndListenersHearOfRealChangesOnly() throws Exception {
        var heard = new ArrayList<Long>();
        var registration = store.onPublish(() -> heard.add(store.head().sequence()));
        store.publish(new ResourceBatch());
        assertThat(store.isReady()).isTrue();
        store.publish(addresses(pod("a", "10.0.0.1")));
        store.publish(addresses(pod("a", "10.0.0.1")));
        assertThat(heard).containsExactly(1L);
        registration.close();
        store.publish(addresses(pod("a", "10.0.0.2")));
        assertThat(heard).containsExactly(1L);
    }

    @Test
    void givenOneBatchOfSeveralTypes_thenOneCut() {
        var cut = store.publish(addresses(pod("a", "10.0.0.1")).put(XdsType.AUTHORIZATION, Fixture.policy("ns/p", "")));
        assertThat(cut.sequence()).isEqualTo(1);
        assertThat(cut.resources(ADDRESS).size()).isEqualTo(1);
        assertThat(cut.resources(XdsType.AUTHORIZATION).size()).isEqualTo(1);
    }

    @Test
    void givenLogThatReaches_thenLatestValuePerName() {
        store.publish(addresses(pod("a", "10.0.0.1"), pod("b", "10.0.0.2")));
        store.publish(addresses(pod("a", "10.0.0.1", "n", "2")));
        store.publish(addresses(pod("a", "10.0.0.1", "n", "3")).remove(ADDRESS, POD + "b"));

        var changes = store.since(1, store.head()).orElseThrow().changes(ADDRESS);
        assertThat(changes.puts())
                .extracting(XdsResource::version)
                .containsExactly(pod("a", "10.0.0.1", "n", "3").version());
        assertThat(changes.removed()).containsExactly(POD + "b");
    }

    @Test
    void givenLogThatDoesNotReach_thenSameAnswerFromTheResources() {
        store.publish(addresses(pod("a", "10.0.0.1"), pod("b", "10.0.0.2"), pod("c", "10.0.0.3")));
        store.publish(new ResourceBatch().remove(ADDRESS, POD + "b").remove(ADDRESS, POD + "c"));
        store.publish(addresses(pod("c", "10.0.0.3")));
        for (int i = 0; i < 10; i++) {
            store.publish(addresses(pod("a", "10.0.0.1", "n", "" + i)));
        }

        var changes = store.since(1, store.head()).orElseThrow().changes(ADDRESS);
        assertThat(changes.puts()).extracting(XdsResource::name).containsExactlyInAnyOrder(POD + "a", POD + "c");
        assertThat(changes.removed()).containsExactly(POD + "b");
    }

    @Test
    void givenForgottenRemovals_thenNoAnswer() {
        for (int i = 0; i < 6; i++) {
            store.publish(addresses(pod("p" + i, "10.0.0." + i)));
        }
        for (int i = 0; i < 6; i++) {
            store.publish(new ResourceBatch().remove(ADDRESS, POD + "p" + i));
        }
        assertThat(store.since(1, store.head())).isEmpty();
        assertThat(store.since(7, store.head())).isEmpty();
        assertThat(store.since(8, store.head())).isPresent();
        assertThat(store.since(0, store.head()).orElseThrow().changes(ADDRESS)).isEqualTo(Changes.NONE);
    }

    @Test
    void givenChangedKeys_thenOldOnesLeadNowhere() {
        store.publish(addresses(pod("a", "10.0.0.1", "n", "", "default/web"), pod("b", "10.0.0.1")));
        store.publish(addresses(pod("a", "10.0.0.2", "n", "", "default/db")));
        var catalog = store.head().catalog(ADDRESS);

        assertThat(members(catalog, "/10.0.0.1")).containsExactly(POD + "b");
        assertThat(members(catalog, "/10.0.0.2")).containsExactly(POD + "a");
        assertThat(members(catalog, "default/web")).isEmpty();
        assertThat(members(catalog, "default/db")).containsExactly(POD + "a");
        store.publish(new ResourceBatch().remove(ADDRESS, POD + "a"));
        assertThat(members(store.head().catalog(ADDRESS), "default/db")).isEmpty();
        assertThat(members(catalog, "default/db")).containsExactly(POD + "a");
    }

    private static List<String> members(Catalog catalog, String key) {
        var names = new ArrayList<String>();
        catalog.members(key, resource -> names.add(resource.name()));
        return names;
    }
}
