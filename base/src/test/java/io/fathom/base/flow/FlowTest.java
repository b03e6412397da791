// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class FlowTest {
    private final Flow flow = new Flow(Failures.rethrown());
    private final List<String> derived = new ArrayList<>();

    @Test
    void givenADependency_whenItChanges_thenOnlyItsReadersAreDerivedAgain() {
        Source<String, String> cities = flow.source("cities");
        Source<String, String> people = flow.source("people"); // name to city
        var table = flow.derive("homes", people, (fetch, city) -> {
            derived.add(city);
            return fetch.one(cities, city);
        });
        flow.update(u -> {
            u.put(people, "ann", "oslo");
            u.put(people, "bob", "rome");
            u.put(cities, "oslo", "Norway");
        });
        assertThat(flow.cut().of(table).get("ann")).isEqualTo("Norway");
        assertThat(flow.cut().of(table).containsKey("bob")).isFalse();

        derived.clear();
        flow.update(u -> u.put(cities, "rome", "Italy"));
        assertThat(derived).containsExactly("rome");
        assertThat(flow.cut().of(table).get("bob")).isEqualTo("Italy");

        derived.clear();
        flow.update(u -> u.put(people, "bob", "oslo"));
        flow.update(u -> u.put(cities, "rome", "Lazio"));
        assertThat(derived).as("bob left rome, nobody reads it").containsExactly("oslo");
    }

    @Test
    void givenADiamond_whenBothSidesChange_thenTheBottomIsDerivedOnceAndConsistent() {
        Source<String, Integer> source = flow.source("source");
        var left = flow.derive("left", source, (_, n) -> Optional.of(n + 1));
        var right = flow.derive("right", source, (_, n) -> Optional.of(n - 1));
        var bottom = flow.derive("bottom", left, (fetch, l) -> {
            derived.add("bottom");
            return fetch.own(right).map(r -> l - r);
        });
        for (int n = 0; n < 10; n++) {
            var value = n;
            flow.update(u -> u.put(source, "x", value));
            assertThat(flow.cut().of(bottom).get("x")).isEqualTo(2);
        }
        assertThat(derived).hasSize(10);
    }

    @Test
    void givenTwoInputsWithOneKey_thenTheSmallestWinsWhateverTheOrder() {
        Source<String, String> source = flow.source("source");
        var table = flow.deriveMany("t", source, (_, v) -> Map.of("shared", v));
        flow.update(u -> u.put(source, "b", "from b"));
        assertThat(flow.cut().of(table).get("shared")).isEqualTo("from b");
        flow.update(u -> u.put(source, "a", "from a"));
        assertThat(flow.cut().of(table).get("shared")).isEqualTo("from a");
        flow.update(u -> u.put(source, "c", "from c"));
        flow.update(u -> u.remove(source, "a"));
        assertThat(flow.cut().of(table).get("shared")).isEqualTo("from b");
        flow.update(u -> u.remove(source, "b"));
        assertThat(flow.cut().of(table).get("shared")).isEqualTo("from c");
        flow.update(u -> u.remove(source, "c"));
        assertThat(flow.cut().of(table).isEmpty()).isTrue();
    }

    @Test
    void givenAnIndex_whenAMemberMovesGroup_thenBothGroupsAreReducedAgain() {
        Source<String, String> cityOf = flow.source("cityOf");
        var byCity = flow.index("byCity", cityOf, Set::of);
        var counts = flow.reduce("counts", byCity, (_, city, members) -> {
            derived.add(city);
            return Optional.of(members.size());
        });
        flow.update(u -> {
            u.put(cityOf, "ann", "oslo");
            u.put(cityOf, "bob", "oslo");
            u.put(cityOf, "cid", "rome");
        });
        derived.clear();
        flow.update(u -> u.put(cityOf, "bob", "rome"));
        assertThat(derived).containsExactlyInAnyOrder("oslo", "rome");
        assertThat(flow.cut().of(counts).get("rome")).isEqualTo(2);
        flow.update(u -> u.put(cityOf, "ann", "rome"));
        assertThat(flow.cut().of(counts).containsKey("oslo")).isFalse();
    }

    record FlowPod(String namespace, Map<String, String> labels) {}

    @Test
    void givenManyObjectsAndSelectors_whenOneSelectorChanges_thenOnlyItsMatchesAreTouched() {
        Source<String, FlowPod> pods = flow.source("pods");
        Source<String, Selector<String>> selectors = flow.source("selectors");
        var matches =
                flow.select("matches", pods, p -> new Labels<>(p.namespace(), p.labels()), selectors, Optional::of);
        var touched = new ArrayList<String>();
        var _ = flow.subscribe(commit -> commit.changes(matches).forEach(change -> touched.add(change.key())));
        flow.update(u -> {
            for (int i = 0; i < 1_000; i++) {
                u.put(pods, "pod-" + i, new FlowPod("ns", Map.of("tier", "web", "app", "app-" + i / 10)));
                u.put(pods, "other-" + i, new FlowPod("other", Map.of("tier", "web", "app", "app-" + i / 10)));
            }
            for (int i = 0; i < 100; i++) {
                u.put(
                        selectors,
                        "sel-" + i,
                        new Selector<>(Optional.of("ns"), Map.of("tier", "web", "app", "app-" + i)));
            }
        });
        assertThat(touched).hasSize(1_000);
        touched.clear();
        flow.update(u -> u.put(selectors, "sel-5", new Selector<>(Optional.of("ns"), Map.of("app", "app-6"))));
        assertThat(touched).as("five lost it, six gained it").hasSize(20).allMatch(key -> key.matches("pod-[56]."));
        touched.clear();
        flow.update(u -> u.put(selectors, "root", new Selector<>(Optional.empty(), Map.of("app", "app-7"))));
        assertThat(touched).as("a selector of every scope").hasSize(20);
        touched.clear();
        flow.update(u -> u.put(selectors, "none", new Selector<>(Optional.empty(), Map.of())));
        assertThat(touched).as("a selector without labels selects nothing").isEmpty();
        flow.update(u -> u.put(pods, "pod-1", new FlowPod("ns", Map.of())));
        assertThat(flow.cut().of(matches).containsKey("pod-1")).isFalse();
    }

    @Test
    void givenADerivationThatFails_thenItsRowStaysAndOthersGoOn() {
        var reported = new ArrayList<Object>();
        var lenient = new Flow((table, key, _) -> reported.add(table + "/" + key));
        Source<String, String> source = lenient.source("source");
        var table = lenient.derive("table", source, (_, v) -> {
            if (v.isEmpty()) {
                throw new IllegalStateException("a bug");
            }
            return Optional.of(v);
        });
        lenient.update(u -> u.put(source, "a", "good"));
        lenient.update(u -> {
            u.put(source, "a", "");
            u.put(source, "b", "fine");
        });
        assertThat(reported).containsExactly("table/a");
        assertThat(lenient.cut().of(table).get("a")).isEqualTo("good");
        assertThat(lenient.cut().of(table).get("b")).isEqualTo("fine");
    }

    @Test
    void givenATableMadeLater_whenFetched_thenTheGraphIsRefused() {
        Source<String, String> source = flow.source("source");
        var later = new ArrayList<Table<String, String>>();
        flow.derive("early", source, (fetch, _) -> fetch.one(later.getFirst(), "x"));
        later.add(flow.derive("late", source, (_, v) -> Optional.of(v)));
        assertThatThrownBy(() -> flow.update(u -> u.put(source, "a", "b")))
                .hasMessage("early reads late, which settles only after it");
    }
}
