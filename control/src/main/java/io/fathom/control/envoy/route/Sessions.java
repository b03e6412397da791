// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
import io.envoyproxy.envoy.extensions.filters.http.stateful_session.v3.StatefulSession;
import io.envoyproxy.envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState;
import io.envoyproxy.envoy.extensions.http.stateful_session.header.v3.HeaderBasedSessionState;
import io.envoyproxy.envoy.type.http.v3.Cookie;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.SessionPersistence;
import java.time.Duration;
import java.util.Optional;

/// Keeps requests of one client at one member of a service.
final class Sessions {
    static final String FILTER = "envoy.filters.http.stateful_session";

    private static final String COOKIE_LABEL = "istio.io/persistent-session";
    private static final String HEADER_LABEL = "istio.io/persistent-session-header";
    private static final Duration LABELLED = Duration.ofMinutes(2);
    private static final String USUAL_COOKIE = "fathom-session";
    private static final String USUAL_HEADER = "x-fathom-session";

    private Sessions() {}

    /// Does nothing where a route does not say more.
    static HttpFilter filter() {
        return HttpFilter.newBuilder()
                .setName(FILTER)
                .setTypedConfig(Any.pack(StatefulSession.getDefaultInstance()))
                .build();
    }

    static Any of(SessionPersistence persistence, PathMatch match) {
        var name = persistence.name();
        return switch (persistence.by()) {
            case HEADER -> header(name.isEmpty() ? USUAL_HEADER : name);
            case COOKIE -> {
                var path = match.kind() == PathMatch.PathMatchType.PREFIX ? PathEdit.trimmed(match.value()) : "";
                var lasting = switch (persistence.cookieLife()) {
                    case SESSION -> Duration.ZERO;
                    case PERMANENT -> persistence.lasting().orElse(Duration.ZERO);
                };
                yield cookie(name.isEmpty() ? USUAL_COOKIE : name, path.isEmpty() ? "/" : path, lasting);
            }
        };
    }

    /// What the labels of a service ask gateways for.
    static Optional<Any> of(MeshService service) {
        var labels = service.metadata().labels();
        var header = labels.getOrDefault(HEADER_LABEL, "");
        if (!header.isEmpty()) {
            return Optional.of(header(header));
        }
        var cookie = labels.getOrDefault(COOKIE_LABEL, "");
        return cookie.isEmpty() ? Optional.empty() : Optional.of(cookie(cookie, "/", LABELLED));
    }

    /// @param lasting zero for as long as the browser runs
    private static Any cookie(String name, String path, Duration lasting) {
        var cookie = Cookie.newBuilder().setName(name).setPath(path);
        if (!lasting.isZero()) {
            cookie.setTtl(Durations.of(lasting));
        }
        return perRoute(
                "envoy.http.stateful_session.cookie",
                CookieBasedSessionState.newBuilder().setCookie(cookie).build());
    }

    private static Any header(String name) {
        return perRoute(
                "envoy.http.stateful_session.header",
                HeaderBasedSessionState.newBuilder().setName(name).build());
    }

    private static Any perRoute(String name, Message state) {
        return Any.pack(StatefulSessionPerRoute.newBuilder()
                .setStatefulSession(StatefulSession.newBuilder()
                        .setSessionState(
                                TypedExtensionConfig.newBuilder().setName(name).setTypedConfig(Any.pack(state))))
                .build());
    }
}
