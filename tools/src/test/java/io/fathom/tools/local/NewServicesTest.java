// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class NewServicesTest {
    private final NewServices services = new NewServices();

    @Test
    void givenANewService_thenItsNameIsToldOnceTheProxiesKnowItsAddress() {
        assertThat(services.told(List.of("a"), 0, known())).isEmpty();
        assertThat(services.told(List.of("a"), 1, known("a"))).isEqualTo(Set.of("a"));
        assertThat(services.told(List.of("a"), 2, NewServicesTest::notAsked)).isEqualTo(Set.of("a"));
    }

    @Test
    void givenAProxyThatDoesNotAnswer_thenItIsToldAfterAWhile() {
        var late = NewServices.PATIENCE.toNanos() + 1;

        assertThat(services.told(List.of("a"), 0, known())).isEmpty();
        assertThat(services.told(List.of("a", "b"), late, known())).isEqualTo(Set.of("a"));
    }

    @Test
    void givenAnAddressThatIsGivenToAnother_thenItCountsAsNew() {
        assertThat(services.told(List.of("a"), 0, known("a"))).isEqualTo(Set.of("a"));
        assertThat(services.told(List.of(), 1, NewServicesTest::notAsked)).isEmpty();
        assertThat(services.told(List.of("a"), 2, known())).isEmpty();
    }

    private static Supplier<Predicate<String>> known(String... addresses) {
        var set = Set.of(addresses);
        return () -> set::contains;
    }

    private static Predicate<String> notAsked() {
        throw new AssertionError("there is nothing to ask for");
    }
}
