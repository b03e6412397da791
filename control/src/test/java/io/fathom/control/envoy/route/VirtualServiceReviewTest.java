// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.problem.ObjectProblem;
import java.util.List;
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
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString()).contains("VirtualService shop/v", "gone"));
    }

    @Test
    void givenAPortThatIsNot_thenItIsNamed() {
        assertThat(review("http: [{route: [{destination: {host: web, port: {number: 81}}}]}]"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString()).contains("web:81"));
    }

    @Test
    void givenNobodyToDelegateTo_thenThatIsSaid() {
        assertThat(review("http: [{delegate: {name: gone}}]"))
                .extracting(Problem::code)
                .contains("virtual-service-delegate");
    }

    @Test
    void givenASubsetThatNobodyDefines_thenThatIsSaid() {
        assertThat(review("http: [{route: [{destination: {host: web, subset: v1}}]}]"))
                .isEmpty();
        assertThat(review("http: [{route: [{destination: {host: web, subset: v2}}]}]"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString()).contains("v2 of web"));
    }

    @Test
    void givenARuleThatNobodyComesTo_thenThatIsSaid() {
        assertThat(review("http: [{route: [{destination: {host: web}}]}, {redirect: {uri: /}}]"))
                .extracting(Problem::code)
                .contains("virtual-service-unreachable");
        assertThat(review("http: [{match: [{sourceLabels: {a: b}}], redirect: {uri: /}}]"))
                .extracting(Problem::code)
                .contains("virtual-service-source-labels");
    }

    @Test
    void givenSeveralMistakes_thenEachIsSaidWithItsField() {
        var problems = of("""
                gateways: [mesh, there, gone], http: [
                {match: [{uri: {exact: /a}}], route: [{destination: {host: gone}}, {destination: {host: web, subset: v2}}]},
                {delegate: {name: gone}}]""");
        assertThat(problems)
                .extracting(problem -> problem.field() + " " + problem.problem().code())
                .containsExactly(
                        "spec.gateways[2] virtual-service-gateway",
                        "spec.http[0].route[0].destination.host virtual-service-destination",
                        "spec.http[0].route[1].destination.subset virtual-service-subset",
                        "spec.http[1].delegate virtual-service-delegate");
    }

    private List<Problem> review(String rules) {
        return of(rules).stream().map(ObjectProblem::problem).toList();
    }

    private List<ObjectProblem> of(String rules) {
        var owner = Shop.virtualServices("""
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: v, namespace: shop}
                spec: {hosts: [web], %s}
                """.formatted(rules)).getFirst();
        return VirtualServiceReview.of(owner, shop, new VirtualServiceReview.Names() {
            @Override
            public boolean isSubset(MeshService service, String subset) {
                return subset.equals("v1");
            }

            @Override
            public boolean isDelegate(String path) {
                return path.equals("shop/there");
            }

            @Override
            public boolean isGateway(String path) {
                return path.equals("shop/there");
            }
        });
    }
}
