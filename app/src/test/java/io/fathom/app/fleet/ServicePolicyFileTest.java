// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.server.ServicePolicy;
import io.fathom.fleet.server.ServicePolicy.ClusterRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ServicePolicyFileTest {
    private static final String GOOD = "- {clusters: [west], exports: [shop], imports: []}\n";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void givenRules_thenTheyAreReadInOrder_andAFieldThatIsNotThereIsAll() {
        var policy = ServicePolicyFile.parse("policy.yaml", GOOD + """
            - clusters: ["*"]
              imports:
                - shop
                - bank
            """);

        assertThat(policy.rules())
                .containsExactly(
                        new ClusterRule(Set.of("west"), Set.of("shop"), Set.of()),
                        new ClusterRule(Set.of("*"), Set.of("*"), Set.of("shop", "bank")));
        assertThat(policy.mayExport("west", "bank")).isFalse();
        assertThat(policy.mayExport("east", "bank")).isTrue();
        assertThat(ServicePolicyFile.parse("policy.yaml", "[]")).isEqualTo(ServicePolicy.OPEN);
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                argumentSet("given nothing, then it is not taken for no rules", "# later\n", "p:1: there is no list"),
                argumentSet("given a map, then not", "clusters: [a]", "p:1: is a map, must be a list"),
                argumentSet("given a rule that is a name, then not", "- west", "p:1: [0]: is the text"),
                argumentSet("given an empty rule, then not", GOOD + "-\n", "[1]: is nothing, must be a map"),
                argumentSet(
                        "given another field, then it is named",
                        "- clusters: [a]\n  export: [b]",
                        "p:2: [0].export: is no field of a rule (fix: did you mean exports?)"),
                argumentSet("given no clusters, then not", "- exports: [b]", "p:1: [0].clusters: is missing"),
                argumentSet("given an empty list of clusters, then not", "- clusters: []", "[0].clusters: is empty"),
                argumentSet(
                        "given one name instead of a list, then not",
                        GOOD + "- clusters: [a]\n  exports: shop",
                        "p:3: [1].exports: is the text \"shop\", must be a list"),
                argumentSet(
                        "given a field with nothing in it, then it is not taken for all",
                        "- clusters: [a]\n  exports:\n  imports: [b]",
                        "[0].exports: is nothing, must be a list"),
                argumentSet(
                        "given a number, then not",
                        "- clusters: [a]\n  exports:\n    - 7",
                        "p:3: [0].exports[0]: is the number 7, must be text"),
                argumentSet(
                        "given a pattern, then not",
                        "- {clusters: [a], imports: [shop-*]}",
                        "p:1: [0].imports[0]: is \"shop-*\""),
                argumentSet("given a name twice, then not", "- clusters: [a]\n  clusters: [b]", "p:2: "),
                argumentSet("given a second document, then not", GOOD + "---\n" + GOOD, "is a second document"),
                argumentSet("given no YAML, then not", "- {clusters: [a", "p:"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void whenTheFileIsWrong(String yaml, String complaint) {
        assertThatThrownBy(() -> ServicePolicyFile.parse("p", yaml))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(complaint);
    }

    @Test
    void givenNoFile_thenThatIsAProblem() {
        assertThatThrownBy(() -> ServicePolicyFile.load(folder.resolve("none")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(folder.resolve("none").toString());
    }

    @Test
    void whenTheFileChanges_thenItIsUsed_andAMistakeKeepsWhatWasBefore() throws IOException {
        var file = folder.resolve("policy.yaml");
        Files.writeString(file, GOOD);
        var used = new ArrayList<ServicePolicy>();
        var followed = ServicePolicyFile.load(file).follow(used::add);

        followed.look();
        assertThat(used).isEmpty();

        Files.writeString(file, "- {clusters: [west], export: [bank]}");
        followed.look();
        assertThat(used).isEmpty();
        assertThat(followed.problem())
                .map(Problem::message)
                .hasValueSatisfying(message -> assertThat(message).contains(file + ":1: [0].export"));

        Files.delete(file);
        followed.look();
        assertThat(followed.problem()).map(Problem::code).contains("service-policy-unreadable");

        Files.writeString(file, "- {clusters: [west], exports: [bank]}");
        followed.look();
        assertThat(followed.problem()).isEmpty();
        assertThat(used)
                .extracting(ServicePolicy::rules)
                .containsExactly(List.of(new ClusterRule(Set.of("west"), Set.of("bank"), Set.of("*"))));
    }
}
