// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import static io.fathom.model.policy.Policies.attempt;
import static io.fathom.model.policy.Policies.deny;
import static io.fathom.model.policy.Policies.group;
import static io.fathom.model.policy.Policies.match;
import static io.fathom.model.policy.Policies.rules;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.mesh.Identity;
import io.fathom.model.policy.RequiredWaypoints.Waypoint;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequiredWaypointsTest {
    private static final RequiredWaypoints COMB = new RequiredWaypoints("ns1", List.of(new Waypoint("hair", "comb")));

    static Stream<Arguments> sets() {
        return Stream.of(
                argumentSet("given none", List.of(), "ns1/fathom_require_waypoint"),
                argumentSet(
                        "given one", List.of(new Waypoint("hair", "comb")), "ns1/fathom_require_waypoint_hair_comb"),
                argumentSet(
                        "given several in any order, one of them twice",
                        List.of(new Waypoint("z", "a.b-c"), new Waypoint("a", "w"), new Waypoint("z", "a.b-c")),
                        "ns1/fathom_require_waypoint_a_w_z_a.b-c"));
    }

    @ParameterizedTest
    @MethodSource("sets")
    void thenTheKeySaysItAll(List<Waypoint> waypoints, String key) {
        var required = new RequiredWaypoints("ns1", waypoints);
        assertThat(required.key()).isEqualTo(key);
        assertThat(RequiredWaypoints.parse(key)).contains(required);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ns1/p", "ns1/fathom-require-waypoint", "fathom_require_waypoint/p", "p", ""})
    void givenAPolicyOfSomebody_thenItIsNoneOfThese(String key) {
        assertThat(RequiredWaypoints.isKey(key)).isFalse();
        assertThat(RequiredWaypoints.parse(key)).isEmpty();
    }

    private static Policy policy(RequiredWaypoints required, String... principals) {
        var rule = principals.length == 0
                ? rules()
                : rules(match().notPrincipals(principals).build());
        return Policy.compile(deny(required.name(), List.of(group(rule))));
    }

    private static String decide(Policy policy, String identity, Optional<String> broughtBy) {
        var attempt = attempt(identity, "10.0.0.1", "10.0.0.9:80");
        return Authorizer.decide(
                        List.of(policy),
                        new Attempt(
                                attempt.source(),
                                attempt.sourceIp(),
                                attempt.destination(),
                                broughtBy.flatMap(Identity::parse)))
                .message();
    }

    private static final String WAYPOINT = "spiffe://td/ns/hair/sa/comb";
    private static final String DENIED =
            "explicitly denied by: ns1/fathom_require_waypoint_hair_comb: calls must come through waypoint hair/comb";
    private static final String ALLOWED = "allowed: no allow policies exist";

    static Stream<Arguments> callers() {
        return Stream.of(
                argumentSet("given the waypoint, then it may", WAYPOINT, Optional.empty(), ALLOWED),
                argumentSet(
                        "given another identity, then it may not", "spiffe://td/ns/a/sa/b", Optional.empty(), DENIED),
                argumentSet("given no identity, then it may not", "", Optional.empty(), DENIED),
                argumentSet("given no identity on the way through it, then it may", "", Optional.of(WAYPOINT), ALLOWED),
                argumentSet(
                        "given no identity on the way through another, then it may not",
                        "",
                        Optional.of("spiffe://td/ns/a/sa/b"),
                        DENIED));
    }

    @ParameterizedTest
    @MethodSource("callers")
    void whenSomebodyCalls(String identity, Optional<String> broughtBy, String wanted) {
        assertThat(decide(policy(COMB, "td/ns/hair/sa/comb"), identity, broughtBy))
                .isEqualTo(wanted);
    }

    @Test
    void givenNoWaypoint_thenNobodyMayCall() {
        var none = new RequiredWaypoints("ns1", List.of());
        assertThat(decide(policy(none), WAYPOINT, Optional.of(WAYPOINT)))
                .isEqualTo("explicitly denied by: ns1/fathom_require_waypoint: calls must come through the waypoint, "
                        + "and there is none that can be used");
    }
}
