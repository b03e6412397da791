// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.RedirectAction;
import io.envoyproxy.envoy.config.route.v3.RedirectAction.RedirectResponseCode;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.RouteFilter;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpAction;

/// Answers that send a client elsewhere.
final class Redirects {
    private Redirects() {}

    static RedirectAction of(RouteFilter.Redirect redirect, PathMatch match, RequestPort port) {
        var action = action(redirect.hostname(), redirect.scheme(), redirect.status());
        redirect.path().ifPresent(path -> PathEdit.of(path, match).writeTo(action));
        var target = redirect.port() != 0 ? redirect.port() : portOf(redirect.scheme(), port);
        writePort(action, target, redirect.scheme(), port);
        return action.build();
    }

    /// Where the redirect names a scheme but no port, that of the scheme; without both, that of the request.
    private static int portOf(String scheme, RequestPort port) {
        return switch (scheme) {
            case "http" -> 80;
            case "https" -> 443;
            default -> port.number();
        };
    }

    static RedirectAction of(HttpAction.Redirect redirect, RequestPort port) {
        var action = action(redirect.authority(), redirect.scheme(), redirect.code());
        if (!redirect.prefix().isEmpty()) {
            action.setPrefixRewrite(redirect.prefix());
        } else if (!redirect.uri().isEmpty()) {
            action.setPathRedirect(redirect.uri());
        }
        var target = redirect.port() == HttpAction.Redirect.PORT_OF_REQUEST ? port.number() : redirect.port();
        writePort(action, target, redirect.scheme(), port);
        return action.build();
    }

    private static RedirectAction.Builder action(String host, String scheme, int status) {
        var action = RedirectAction.newBuilder().setHostRedirect(host).setResponseCode(code(status));
        if (!scheme.isEmpty()) {
            action.setSchemeRedirect(scheme);
        }
        return action;
    }

    /// Leaves out what the scheme says anyway.
    private static void writePort(RedirectAction.Builder action, int target, String scheme, RequestPort port) {
        var word = scheme.isEmpty() ? port.word() : scheme;
        var isImplied = (target == 80 && word.equals("http")) || (target == 443 && word.equals("https"));
        if (!isImplied) {
            action.setPortRedirect(target);
        }
    }

    private static RedirectResponseCode code(int status) {
        return switch (status) {
            case 302 -> RedirectResponseCode.FOUND;
            case 303 -> RedirectResponseCode.SEE_OTHER;
            case 307 -> RedirectResponseCode.TEMPORARY_REDIRECT;
            case 308 -> RedirectResponseCode.PERMANENT_REDIRECT;
            default -> RedirectResponseCode.MOVED_PERMANENTLY;
        };
    }
}
