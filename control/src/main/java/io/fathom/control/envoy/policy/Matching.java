// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.CidrRange;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.type.matcher.v3.ListMatcher;
import io.envoyproxy.envoy.type.matcher.v3.MetadataMatcher;
import io.envoyproxy.envoy.type.matcher.v3.MetadataMatcher.PathSegment;
import io.envoyproxy.envoy.type.matcher.v3.OrMatcher;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.envoyproxy.envoy.type.matcher.v3.ValueMatcher;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.policy.StringMatch;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The texts of policies in Envoy's words: `*` is anything that is there, `*x` a suffix, `x*` a prefix, all else exact.
/// Pure.
final class Matching {
    static final String JWT_FILTER = "envoy.filters.http.jwt_authn";
    /// Under which verified payloads are found.
    static final String PAYLOAD = "payload";

    private static final String ANYTHING = ".+";

    private Matching() {}

    static StringMatcher text(String pattern) {
        return switch (StringMatch.parse(pattern)) {
            case StringMatch.Presence() -> regex(ANYTHING);
            case StringMatch.Exact(var value) ->
                StringMatcher.newBuilder().setExact(value).build();
            case StringMatch.Prefix(var value) ->
                StringMatcher.newBuilder().setPrefix(value).build();
            case StringMatch.Suffix(var value) ->
                StringMatcher.newBuilder().setSuffix(value).build();
        };
    }

    /// The same for text that begins with something which policies leave out.
    static StringMatcher after(String beginning, String pattern) {
        return switch (StringMatch.parse(pattern)) {
            case StringMatch.Presence() -> regex(ANYTHING);
            case StringMatch.Exact(var value) ->
                StringMatcher.newBuilder().setExact(beginning + value).build();
            case StringMatch.Prefix(var value) ->
                StringMatcher.newBuilder().setPrefix(beginning + value).build();
            case StringMatch.Suffix(var value) -> regex(quoted(beginning) + ".*" + quoted(value));
        };
    }

    static StringMatcher regex(String regex) {
        return StringMatcher.newBuilder()
                .setSafeRegex(RegexMatcher.newBuilder().setRegex(regex))
                .build();
    }

    /// As part of a regular expression, without the `\Q` that not every engine knows.
    static String quoted(String text) {
        return text.replaceAll("[^A-Za-z0-9/:_-]", "\\\\$0");
    }

    /// Stars stand for anything inside one part of a path.
    static String quotedWithStars(String pattern) {
        return Stream.of(pattern.split("\\*", -1)).map(Matching::quoted).collect(Collectors.joining("[^/]*"));
    }

    static HeaderMatcher header(String name, String pattern) {
        var header = HeaderMatcher.newBuilder().setName(name);
        return pattern.equals("*")
                ? header.setPresentMatch(true).build()
                : header.setStringMatch(text(pattern)).build();
    }

    static HeaderMatcher host(String pattern) {
        return pattern.equals("*")
                ? header(":authority", pattern)
                : HeaderMatcher.newBuilder()
                        .setName(":authority")
                        .setStringMatch(text(pattern).toBuilder().setIgnoreCase(true))
                        .build();
    }

    /// A claim whose value is the text, or a list with it.
    static MetadataMatcher claim(List<String> path, StringMatcher text) {
        var value = ValueMatcher.newBuilder().setStringMatch(text);
        var list =
                ValueMatcher.newBuilder().setListMatch(ListMatcher.newBuilder().setOneOf(value));
        return payload(
                path,
                ValueMatcher.newBuilder()
                        .setOrMatch(
                                OrMatcher.newBuilder().addValueMatchers(value).addValueMatchers(list))
                        .build());
    }

    /// A claim that is one text.
    static MetadataMatcher textClaim(String name, StringMatcher text) {
        return payload(
                List.of(name), ValueMatcher.newBuilder().setStringMatch(text).build());
    }

    private static MetadataMatcher payload(List<String> path, ValueMatcher value) {
        var matcher = MetadataMatcher.newBuilder()
                .setFilter(JWT_FILTER)
                .addPath(PathSegment.newBuilder().setKey(PAYLOAD))
                .setValue(value);
        path.forEach(key -> matcher.addPath(PathSegment.newBuilder().setKey(key)));
        return matcher.build();
    }

    static Optional<CidrRange> block(String text) {
        return IpBlock.parse(text)
                .map(block -> CidrRange.newBuilder()
                        .setAddressPrefix(block.address().toString())
                        .setPrefixLen(UInt32Value.of(block.length()))
                        .build());
    }

    static Optional<Integer> port(String text) {
        return text.matches("0*[0-9]{1,5}")
                ? Optional.of(Integer.valueOf(text)).filter(port -> port <= 65_535)
                : Optional.empty();
    }
}
