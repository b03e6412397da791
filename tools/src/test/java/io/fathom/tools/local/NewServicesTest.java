package io.fathom.tools.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class NewServicesTest {
    private final NewServices services = new NewServices();

    @Test
    void givenANewService_thenItsNameIsToldOnceTheProxiesKnowItsAddress() {
        assertThat(services.told(List.of("a"), 0, NewServicesTest::nobodyKnows)).isEmpty();
        assertThat(services.told(List.of("a"), 1, NewServicesTest::allKnow)).isEqualTo(Set.of("a"));
        assertThat(services.told(List.of("a"), 2, NewServicesTest::notAsked)).isEqualTo(Set.of("a"));
    }

    @Test
    void givenAProxyThatDoesNotAnswer_thenItIsToldAfterAWhile() {
        var late = NewServices.PATIENCE.toNanos() + 1;

        assertThat(services.told(List.of("a"), 0, NewServicesTest::nobodyKnows)).isEmpty();
        assertThat(services.told(List.of("a", "b"), late, NewServicesTest::nobodyKnows)).isEqualTo(Set.of("a"));
    }

    @Test
    void givenAnAddressThatIsGivenToAnother_thenItCountsAsNew() {
        assertThat(services.told(List.of("a"), 0, NewServicesTest::allKnow)).isEqualTo(Set.of("a"));
        assertThat(services.told(List.of(), 1, NewServicesTest::notAsked)).isEmpty();
        assertThat(services.told(List.of("a"), 2, NewServicesTest::nobodyKnows)).isEmpty();
    }

    private static Predicate<String> nobodyKnows() {
        return _ -> false;
    }

    private static Predicate<String> allKnow() {
        return _ -> true;
    }

    private static Predicate<String> notAsked() {
        throw new AssertionError("there is nothing to ask for");
    }
}
