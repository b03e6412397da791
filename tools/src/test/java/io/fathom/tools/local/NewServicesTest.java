package io.fathom.tools.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class NewServicesTest {
    private static final Supplier<Predicate<String>> NOBODY_KNOWS = () -> _ -> false;
    private static final Supplier<Predicate<String>> ALL_KNOW = () -> _ -> true;
    private static final Supplier<Predicate<String>> NOT_ASKED = () -> {
        throw new AssertionError("there is nothing to ask for");
    };

    private final NewServices services = new NewServices();

    @Test
    void givenANewService_thenItsNameIsToldOnceTheProxiesKnowItsAddress() {
        assertThat(services.told(List.of("a"), 0, NOBODY_KNOWS)).isEmpty();
        assertThat(services.told(List.of("a"), 1, ALL_KNOW)).isEqualTo(Set.of("a"));
        assertThat(services.told(List.of("a"), 2, NOT_ASKED)).isEqualTo(Set.of("a"));
    }

    @Test
    void givenAProxyThatDoesNotAnswer_thenItIsToldAfterAWhile() {
        var late = NewServices.PATIENCE.toNanos() + 1;

        assertThat(services.told(List.of("a"), 0, NOBODY_KNOWS)).isEmpty();
        assertThat(services.told(List.of("a", "b"), late, NOBODY_KNOWS)).isEqualTo(Set.of("a"));
    }

    @Test
    void givenAnAddressThatIsGivenToAnother_thenItCountsAsNew() {
        assertThat(services.told(List.of("a"), 0, ALL_KNOW)).isEqualTo(Set.of("a"));
        assertThat(services.told(List.of(), 1, NOT_ASKED)).isEmpty();
        assertThat(services.told(List.of("a"), 2, NOBODY_KNOWS)).isEmpty();
    }
}
