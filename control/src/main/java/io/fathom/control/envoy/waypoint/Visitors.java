// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import com.github.xds.type.matcher.v3.Matcher;
import com.github.xds.type.matcher.v3.Matcher.MatcherList;
import com.github.xds.type.matcher.v3.Matcher.MatcherList.Predicate;
import com.github.xds.type.matcher.v3.Matcher.MatcherList.Predicate.PredicateList;
import com.github.xds.type.matcher.v3.Matcher.MatcherList.Predicate.SinglePredicate;
import com.github.xds.type.matcher.v3.Matcher.OnMatch;
import com.github.xds.type.matcher.v3.StringMatcher;
import io.envoyproxy.envoy.config.core.v3.CidrRange;
import io.envoyproxy.envoy.extensions.matching.common_inputs.network.v3.FilterStateInput;
import io.envoyproxy.envoy.extensions.matching.common_inputs.network.v3.SourceIPInput;
import io.fathom.control.ambient.network.Entrances.Entrance;

/// Tells calls of other networks from those of our own. A client elsewhere can write what it likes into the tunnel that
/// an east-west gateway hands on; but that tunnel comes from the gateway's address, and whoever opened it cannot prove
/// to be the gateway.
final class Visitors {
    private Visitors() {}

    /// @param theirs for calls of other networks; has to end with something that is said to happen
    /// @param all for the rest
    static Matcher matcher(Entrance entrance, Matcher theirs, Matcher all) {
        var visiting = Predicate.newBuilder();
        visiting.getAndMatcherBuilder().addPredicate(isFrom(entrance)).addPredicate(isNotGateway(entrance));
        return Matcher.newBuilder()
                .setMatcherList(MatcherList.newBuilder()
                        .addMatchers(MatcherList.FieldMatcher.newBuilder()
                                .setPredicate(visiting)
                                .setOnMatch(OnMatch.newBuilder().setMatcher(theirs))))
                .setOnNoMatch(OnMatch.newBuilder().setMatcher(all))
                .build();
    }

    private static Predicate isFrom(Entrance entrance) {
        var addresses = io.envoyproxy.envoy.extensions.matching.input_matchers.ip.v3.Ip.newBuilder()
                .setStatPrefix("entrance");
        entrance.addresses()
                .forEach(ip -> addresses.addCidrRanges(CidrRange.newBuilder()
                        .setAddressPrefix(ip.toString())
                        .setPrefixLen(Typed.number(ip.family().bits()))));
        return Predicate.newBuilder()
                .setSinglePredicate(SinglePredicate.newBuilder()
                        .setInput(Dispatch.extension("source-ip", SourceIPInput.getDefaultInstance()))
                        .setCustomMatch(Dispatch.extension("source-ip", addresses.build())))
                .build();
    }

    private static Predicate isNotGateway(Entrance entrance) {
        var peer = Dispatch.extension(
                "peer-filter-state",
                FilterStateInput.newBuilder()
                        .setKey(FilterStates.PEER_PRINCIPAL)
                        .build());
        var gateways = PredicateList.newBuilder();
        entrance.identities()
                .forEach(identity -> gateways.addPredicate(Predicate.newBuilder()
                        .setSinglePredicate(SinglePredicate.newBuilder()
                                .setInput(peer)
                                .setValueMatch(StringMatcher.newBuilder().setExact(identity.uri())))));
        // a list of alternatives needs two
        var gateway = gateways.getPredicateCount() == 1
                ? gateways.getPredicate(0)
                : Predicate.newBuilder().setOrMatcher(gateways).build();
        return Predicate.newBuilder().setNotMatcher(gateway).build();
    }
}
