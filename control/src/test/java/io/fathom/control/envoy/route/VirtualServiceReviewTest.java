package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VirtualServiceReviewTest {
    private final Shop shop = new Shop().with("shop", "web", 80);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http: [{route: [{destination: {host: web}}]}]",
                "http: [{route: [{destination: {host: web.shop.svc.cluster.local, port: {number: 80}}}]}]",
                "http: [{redirect: {uri: /}}]",
                "http: [{delegate: {name: there}}]"
            })
    void givenDestinationsThatAreThere_thenAllIsWell(String rules) {
        assertThat(review(rules)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http: [{route: [{destination: {host: gone}}]}]",
                "http: [{mirror: {host: gone}, route: [{destination: {host: web}}]}]",
                "tls: [{match: [{sniHosts: [a]}], route: [{destination: {host: gone}}]}]",
                "tcp: [{route: [{destination: {host: gone}}]}]"
            })
    void givenADestinationThatIsNot_thenItIsNamed(String rules) {
        assertThat(review(rules))
                .hasValueSatisfying(
                        problem -> assertThat(problem.toString()).contains("VirtualService shop/v", "gone"));
    }

    @Test
    void givenAPortThatIsNot_thenItIsNamed() {
        assertThat(review("http: [{route: [{destination: {host: web, port: {number: 81}}}]}]"))
                .hasValueSatisfying(problem -> assertThat(problem.toString()).contains("web:81"));
    }

    @Test
    void givenNobodyToDelegateTo_thenThatIsSaid() {
        assertThat(review("http: [{delegate: {name: gone}}]"))
                .map(Problem::code)
                .contains("virtual-service-delegate");
    }

    @Test
    void givenASubsetThatNobodyDefines_thenThatIsSaid() {
        assertThat(review("http: [{route: [{destination: {host: web, subset: v1}}]}]"))
                .isEmpty();
        assertThat(review("http: [{route: [{destination: {host: web, subset: v2}}]}]"))
                .hasValueSatisfying(problem -> assertThat(problem.toString()).contains("v2 of web"));
    }

    @Test
    void givenARuleThatNobodyComesTo_thenThatIsSaid() {
        assertThat(review("http: [{route: [{destination: {host: web}}]}, {redirect: {uri: /}}]"))
                .map(Problem::code)
                .contains("virtual-service-unreachable");
        assertThat(review("http: [{match: [{sourceLabels: {a: b}}], redirect: {uri: /}}]"))
                .map(Problem::code)
                .contains("virtual-service-source-labels");
    }

    private Optional<Problem> review(String rules) {
        var owner = Shop.virtualServices("""
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: v, namespace: shop}
                spec: {hosts: [web], %s}
                """.formatted(rules)).getFirst();
        return VirtualServiceReview.of(
                owner, shop, (_, subset) -> subset.equals("v1"), path -> path.equals("shop/there"));
    }
}
