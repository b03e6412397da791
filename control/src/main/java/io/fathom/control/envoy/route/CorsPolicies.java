// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.extensions.filters.http.cors.v3.CorsPolicy;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.wire.kube.gateway.RouteFilter;
import io.fathom.wire.kube.gateway.RouteFilter.Cors.Credentials;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.util.List;

/// Which other origins may ask, in the words of Envoy's filter.
final class CorsPolicies {
    static final String FILTER = "envoy.filters.http.cors";

    private CorsPolicies() {}

    static Any of(RouteFilter.Cors cors) {
        var policy = policy(cors.methods(), cors.headers(), cors.exposed())
                .setForwardNotMatchingPreflights(BoolValue.of(false))
                .setMaxAge(Integer.toString(cors.maxAgeSeconds()));
        cors.origins().forEach(origin -> policy.addAllowOriginStringMatch(origin(origin)));
        if (cors.credentials() == Credentials.ALLOWED) {
            policy.setAllowCredentials(BoolValue.of(true));
        }
        return Any.pack(policy.build());
    }

    static Any of(VirtualServiceManifest.CorsPolicy cors) {
        var policy = policy(cors.methods(), cors.headers(), cors.exposed())
                .setForwardNotMatchingPreflights(
                        BoolValue.of(cors.unmatched() == VirtualServiceManifest.CorsPolicy.Unmatched.FORWARDED));
        cors.origins().forEach(origin -> policy.addAllowOriginStringMatch(TextMatches.of(origin)));
        cors.credentials().ifPresent(allowed -> policy.setAllowCredentials(BoolValue.of(allowed)));
        cors.maxAge().ifPresent(age -> policy.setMaxAge(Long.toString(age.toSeconds())));
        return Any.pack(policy.build());
    }

    private static CorsPolicy.Builder policy(List<String> methods, List<String> headers, List<String> exposed) {
        return CorsPolicy.newBuilder()
                .setFilterEnabled(Fractions.fixed(Fractions.ofPercent(100)))
                .setAllowMethods(String.join(",", methods))
                .setAllowHeaders(String.join(",", headers))
                .setExposeHeaders(String.join(",", exposed));
    }

    /// A `*` stands for anything; alone it means every origin that is one.
    private static StringMatcher origin(String origin) {
        if (origin.equals("*")) {
            return regex("[a-zA-Z][a-zA-Z0-9+.-]*://.*|null");
        }
        var star = origin.indexOf('*');
        if (star < 0) {
            return StringMatcher.newBuilder().setExact(origin).build();
        }
        if (star == origin.length() - 1) {
            return StringMatcher.newBuilder()
                    .setPrefix(origin.substring(0, star))
                    .build();
        }
        var parts =
                List.of(origin.split("\\*", -1)).stream().map(PathEdit::quoted).toList();
        return regex("^" + String.join(".*", parts) + "$");
    }

    private static StringMatcher regex(String regex) {
        return StringMatcher.newBuilder()
                .setSafeRegex(RegexMatcher.newBuilder().setRegex(regex))
                .build();
    }
}
