// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MisdirectedTest {
    @ParameterizedTest(name = "{0} beside {1}, with routes for {2}")
    @CsvSource(delimiter = '|', nullValues = "none", textBlock = """
            *          | none                | a.com        | a.com=served
            *          | b.com *.w.com       | a.com        | a.com=served, *=404, b.com *.w.com=421
            *          | b.com *.w.com       | b.com x.w.com | *=404, b.com *.w.com=421
            *          | b.com               | *            | *=served, b.com=421
            b.com      | *                   | b.com        | b.com=served, *=421
            b.com      | c.com               | *            | *=served, b.com=404, c.com=421
            b.com      | *                   | none         | b.com=404, *=421
            *.w.com    | x.w.com *           | *.w.com      | *.w.com=served, x.w.com *=421
            *.w.com    | x.w.com *           | x.w.com y.w.com | y.w.com=served, *.w.com=404, x.w.com *=421
            x.w.com    | *.w.com             | x.w.com      | x.w.com=served, *.w.com=421
            """)
    void whenListenersShareAPort(String own, @Nullable String others, @Nullable String routes, String want) {
        var guarded = new Misdirected(443, words(own), words(others)).guard(hosts(words(routes)));

        assertThat(guarded.stream().map(MisdirectedTest::text).collect(Collectors.joining(", ")))
                .isEqualTo(want);
    }

    private static List<String> words(@Nullable String text) {
        return text == null ? List.of() : Arrays.asList(text.split(" "));
    }

    private static List<VirtualHost> hosts(List<String> domains) {
        var host = VirtualHost.newBuilder()
                .setName("host")
                .addAllDomains(domains)
                .addRoutes(Route.newBuilder().setMatch(RouteMatch.newBuilder().setPrefix("/")));
        return domains.isEmpty() ? List.of() : List.of(host.build());
    }

    private static String text(VirtualHost host) {
        var kind = host.getRoutesList().stream()
                .findFirst()
                .map(route -> route.hasDirectResponse()
                        ? Integer.toString(route.getDirectResponse().getStatus())
                        : "served")
                .orElse("404");
        return String.join(" ", host.getDomainsList()) + "=" + kind;
    }
}
