// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.envoyproxy.envoy.config.route.v3.RedirectAction.RedirectResponseCode;
import io.fathom.control.envoy.route.RequestPort.Scheme;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.RouteFilter;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpAction;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RedirectsTest {
    private static final RequestPort HTTP_80 = RequestPort.plain(80);
    private static final RequestPort HTTP_8080 = RequestPort.plain(8080);
    private static final RequestPort HTTPS_443 = new RequestPort(443, Scheme.HTTPS);
    private static final RequestPort HTTPS_8443 = new RequestPort(8443, Scheme.HTTPS);

    static Stream<Arguments> ports() {
        return Stream.of(
                argumentSet("nothing said at 80", "", 0, HTTP_80, 0),
                argumentSet("nothing said at 8080", "", 0, HTTP_8080, 8080),
                argumentSet("nothing said at 443", "", 0, HTTPS_443, 0),
                argumentSet("nothing said at 8443", "", 0, HTTPS_8443, 8443),
                argumentSet("https from 8080", "https", 0, HTTP_8080, 0),
                argumentSet("http from 443", "http", 0, HTTPS_443, 0),
                argumentSet("port 80 from 8080", "", 80, HTTP_8080, 0),
                argumentSet("port 443 without scheme from 80", "", 443, HTTP_80, 443),
                argumentSet("port 80 with https", "https", 80, HTTP_80, 80),
                argumentSet("port 443 with https", "https", 443, HTTP_80, 0),
                argumentSet("port 8443 with https", "https", 8443, HTTP_80, 8443));
    }

    @ParameterizedTest
    @MethodSource("ports")
    void whenTheGatewayApiRedirects(String scheme, int port, RequestPort from, int want) {
        var redirect = new RouteFilter.Redirect(scheme, "", Optional.empty(), port, 302);

        var action = Redirects.of(redirect, PathMatch.ALL, from);

        assertThat(action.getPortRedirect()).isEqualTo(want);
        assertThat(action.getSchemeRedirect()).isEqualTo(scheme);
        assertThat(action.getResponseCode()).isEqualTo(RedirectResponseCode.FOUND);
    }

    @Test
    void givenAVirtualService_thenAPortIsOnlyThereWhenAskedFor() {
        var silent = new HttpAction.Redirect("/new", "", "a.example", "", 0, 301);
        var prefix = new HttpAction.Redirect("/new", "/v2", "", "", 0, 301);
        var same = new HttpAction.Redirect("", "", "", "", HttpAction.Redirect.PORT_OF_REQUEST, 308);

        assertThat(Redirects.of(silent, HTTP_8080).getPortRedirect()).isZero();
        assertThat(Redirects.of(silent, HTTP_8080).getPathRedirect()).isEqualTo("/new");
        assertThat(Redirects.of(prefix, HTTP_8080).getPrefixRewrite()).isEqualTo("/v2");
        assertThat(Redirects.of(prefix, HTTP_8080).getPathRedirect()).isEmpty();
        assertThat(Redirects.of(same, HTTP_8080).getPortRedirect()).isEqualTo(8080);
        assertThat(Redirects.of(same, HTTP_80).getPortRedirect()).isZero();
        assertThat(Redirects.of(same, HTTP_80).getResponseCode()).isEqualTo(RedirectResponseCode.PERMANENT_REDIRECT);
    }
}
