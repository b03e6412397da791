// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What every kind of table promises, asserted for each of them. Each kind is set up so that its rows mirror those of
/// the source `people`: key to name.
final class FlowConformanceTest {
    record Person(String key, String name) {}

    /// Makes a table that mirrors the source.
    interface Kind {
        Table<String, String> mirror(Flow flow, Source<String, Person> people);
    }

    static Stream<Named<Kind>> kinds() {
        return Stream.of(
                Named.of("derive", (flow, people) -> flow.derive("t", people, (_, p) -> Optional.of(p.name()))),
                Named.of(
                        "deriveMany",
                        (flow, people) -> flow.deriveMany("t", people, (_, p) -> Map.of(p.key(), p.name()))),
                Named.of("rekey", (flow, people) -> {
                    var names = flow.derive("n", people, (_, p) -> Optional.of(p.name()));
                    var marked = flow.rekey("m", names, (key, name) -> key + "/" + name);
                    return flow.rekey("t", marked, (key, _) -> key.substring(0, key.indexOf('/')));
                }),
                Named.of(
                        "reduce",
                        (flow, people) -> flow.reduce(
                                "t",
                                flow.index("i", people, p -> Set.of(p.key())),
                                (_, _, members) ->
                                        Optional.of(members.getFirst().name()))),
                Named.of(
                        "join",
                        (flow, people) -> flow.join(
                                "t",
                                List.of(
                                        flow.derive(
                                                "even",
                                                people,
                                                (_, p) -> Optional.of(p.name()).filter(name -> name.length() % 2 == 0)),
                                        flow.derive(
                                                "odd",
                                                people,
                                                (_, p) -> Optional.of(p.name())
                                                        .filter(name -> name.length() % 2 == 1))))),
                Named.of("select", FlowConformanceTest::selected),
                Named.of(
                        "fold",
                        (flow, people) -> flow.fold("t", people, 0, (state, changed, inputs, _) -> {
                            var rows = new HashMap<String, Optional<String>>();
                            changed.forEach(
                                    key -> rows.put(key, inputs.find(key).map(Person::name)));
                            return new Folding.Result<>(state + 1, rows);
                        })),
                Named.of(
                        "derive through one",
                        (flow, people) -> flow.derive(
                                "t",
                                people,
                                (fetch, p) -> fetch.one(people, p.key()).map(Person::name))),
                Named.of(
                        "derive through own",
                        (flow, people) -> flow.derive(
                                "t", people, (fetch, _) -> fetch.own(people).map(Person::name))),
                Named.of("derive through all", (flow, people) -> {
                    var index = flow.index("i", people, p -> Set.of(p.key()));
                    return flow.derive(
                            "t",
                            people,
                            (fetch, p) -> fetch.all(index, p.key()).stream()
                                    .map(Person::name)
                                    .findFirst());
                }));
    }

    /// Each person is an object labelled with its key, and a selector for that label.
    private static Table<String, String> selected(Flow flow, Source<String, Person> people) {
        var matches = flow.select(
                "s",
                people,
                p -> new Labels<>("scope", Map.of("key", p.key())),
                people,
                p -> Optional.of(new Selector<>(Optional.of("scope"), Map.of("key", p.key()))));
        return flow.derive(
                "t", matches, (_, found) -> Optional.of(found.getFirst().name()));
    }

    private static final class Rig {
        final Flow flow = new Flow(Failures.rethrown());
        final Source<String, Person> people = flow.source("people");
        final Table<String, String> table;
        final List<List<Change<String, String>>> events = new ArrayList<>();

        Rig(Kind kind) {
            table = kind.mirror(flow, people);
            var _ = flow.subscribe(commit -> events.add(commit.changes(table)));
        }

        void put(String key, String name) {
            flow.update(update -> update.put(people, key, new Person(key, name)));
        }

        void remove(String key) {
            flow.update(update -> update.remove(people, key));
        }

        Map<String, String> rows() {
            var rows = new TreeMap<String, String>();
            flow.cut().of(table).forEach(rows::put);
            return rows;
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenARow_whenPutUpdatedAndRemoved_thenOneEventEach(Kind kind) {
        var rig = new Rig(kind);
        rig.put("a", "Ann");
        rig.put("a", "Anna");
        rig.remove("a");
        assertThat(rig.events)
                .containsExactly(
                        List.of(new Change.Added<>("a", "Ann")),
                        List.of(new Change.Updated<>("a", "Ann", "Anna")),
                        List.of(new Change.Removed<>("a", "Anna")));
        assertThat(rig.rows()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenARow_whenPutAgainWithEqualContent_thenNoEvent(Kind kind) {
        var rig = new Rig(kind);
        rig.put("a", "Ann");
        rig.put("a", String.valueOf(new char[] {'A', 'n', 'n'}));
        assertThat(rig.events.get(1)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenSeveralRows_whenOneChanges_thenOnlyThatOneHasAnEvent(Kind kind) {
        var rig = new Rig(kind);
        rig.put("a", "Ann");
        rig.put("b", "Bob");
        rig.put("b", "Bo");
        assertThat(rig.events.getLast()).containsExactly(new Change.Updated<>("b", "Bob", "Bo"));
        assertThat(rig.rows()).isEqualTo(Map.of("a", "Ann", "b", "Bo"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenARowChangedBackWithinOneUpdate_thenNoEvent(Kind kind) {
        var rig = new Rig(kind);
        rig.put("a", "Ann");
        rig.flow.update(update -> {
            update.put(rig.people, "a", new Person("a", "Anna"));
            update.remove(rig.people, "a");
            update.put(rig.people, "a", new Person("a", "Ann"));
        });
        assertThat(rig.events.getLast()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenAnOldCut_whenRowsChange_thenItStaysAsItWas(Kind kind) {
        var rig = new Rig(kind);
        rig.put("a", "Ann");
        var old = rig.flow.cut();
        rig.put("a", "Anna");
        rig.put("b", "Bob");
        assertThat(old.of(rig.table).get("a")).isEqualTo("Ann");
        assertThat(old.of(rig.table).size()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenAFailingUpdate_thenNothingOfItCounts(Kind kind) {
        var rig = new Rig(kind);
        rig.put("a", "Ann");
        try {
            rig.flow.update(update -> {
                update.put(rig.people, "a", new Person("a", "Anna"));
                update.put(rig.people, "b", new Person("b", "Bob"));
                throw new IllegalStateException("half-way");
            });
        } catch (IllegalStateException expected) {
            assertThat(expected).hasMessage("half-way");
        }
        rig.put("c", "Cid");
        assertThat(rig.rows()).isEqualTo(Map.of("a", "Ann", "c", "Cid"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenAllRowsRemoved_whenPutAgain_thenTheyAreBack(Kind kind) {
        var rig = new Rig(kind);
        for (int round = 0; round < 3; round++) {
            rig.put("a", "Ann");
            rig.put("b", "Bob");
            assertThat(rig.rows()).hasSize(2);
            rig.remove("a");
            rig.remove("b");
            assertThat(rig.rows()).isEmpty();
        }
    }
}
