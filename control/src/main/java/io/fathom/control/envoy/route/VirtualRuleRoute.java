// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.route.v3.Decorator;
import io.envoyproxy.envoy.config.route.v3.DirectResponseAction;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.fathom.control.envoy.route.HeaderEdits.Values;
import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Headers;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpAction;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpRule;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Rewrite;
import java.time.Duration;
import java.util.Optional;

/// Builds the route for one match of a rule of a VirtualService.
final class VirtualRuleRoute {
    private static final String TYPE = "networking.istio.io/v1";
    private static final int NOBODY = 500;

    private final RouteContext context;
    private final RequestPort port;
    private final FilterNeeds needs;
    private final Viewpoint viewpoint;

    VirtualRuleRoute(RouteContext context, RequestPort port, FilterNeeds needs, Viewpoint viewpoint) {
        this.context = context;
        this.port = port;
        this.needs = needs;
        this.viewpoint = viewpoint;
    }

    Route build(VirtualServiceManifest owner, HttpRule rule, HttpMatch match) {
        var out = Route.newBuilder()
                .setName(match.name().isEmpty() ? rule.name() : rule.name() + "." + match.name())
                .setMatch(VirtualMatches.of(match, viewpoint))
                .setMetadata(RouteLabels.origin(TYPE, "virtual-service", owner.key()))
                .setStatPrefix(match.statPrefix());
        var edits = edits(rule.headers());
        switch (rule.action()) {
            case HttpAction.Redirect redirect -> out.setRedirect(Redirects.of(redirect, port));
            case HttpAction.Respond(var status, var body) -> out.setDirectResponse(respond(status, body));
            case HttpAction.Delegate _ -> out.setDirectResponse(respond(NOBODY, ""));
            case HttpAction.Forward forward -> {
                var shares = shares(owner, forward);
                if (shares.isEmpty()) {
                    out.setDirectResponse(respond(NOBODY, ""));
                } else {
                    edits = shares.common().then(edits);
                    out.setRoute(action(owner, rule, forward.rewrite(), shares, edits.authority()));
                    persist(shares, out);
                }
            }
        }
        edits.writeTo(out);
        rule.fault().ifPresent(fault -> out.putTypedPerFilterConfig(Faults.FILTER, Faults.of(fault)));
        rule.cors().ifPresent(cors -> out.putTypedPerFilterConfig(CorsPolicies.FILTER, CorsPolicies.of(cors)));
        return out.setDecorator(
                        Decorator.newBuilder().setOperation(RouteLabels.operation(out, owner.name(), port.number())))
                .build();
    }

    private void persist(Shares shares, Route.Builder out) {
        if (context.labels() == RouteContext.SessionLabels.HONOURED) {
            shares.services()
                    .flatMap(service -> Sessions.of(service).stream())
                    .findFirst()
                    .ifPresent(session -> {
                        needs.add(Sessions.filter());
                        out.putTypedPerFilterConfig(Sessions.FILTER, session);
                    });
        }
    }

    private static HeaderEdits edits(Headers headers) {
        return HeaderEdits.ofRequest(headers.request(), Values.FORMATTED)
                .then(HeaderEdits.ofResponse(headers.response(), Values.FORMATTED));
    }

    /// An only destination gets everything, whatever its weight.
    private Shares shares(VirtualServiceManifest owner, HttpAction.Forward forward) {
        var isOnly = forward.to().size() == 1;
        return Shares.of(forward.to().stream()
                .map(to -> new Shares.Share(
                        Backend.of(context, owner, to, port.number(), ClusterLayer.HTTP),
                        isOnly ? 1 : to.weight(),
                        edits(to.headers()))));
    }

    private RouteAction action(
            VirtualServiceManifest owner, HttpRule rule, Optional<Rewrite> rewrite, Shares shares, String edited) {
        var hashes = shares.hashes(context.hashes());
        var action = RouteAction.newBuilder().addAllHashPolicy(hashes);
        Durations.writeTimeout(rule.timeout().orElse(Duration.ZERO), action);
        rule.mirrors()
                .forEach(mirror -> Mirrors.of(
                                Backend.of(context, owner, mirror.to(), port.number(), ClusterLayer.HTTP),
                                Fractions.ofPercent(mirror.percent()))
                        .ifPresent(action::addRequestMirrorPolicies));
        rewrite.ifPresent(wanted -> writePath(wanted, action));
        var authority = rewrite.map(Rewrite::authority)
                .filter(wanted -> !wanted.isEmpty())
                .orElse(edited);
        if (!authority.isEmpty()) {
            action.setHostRewriteLiteral(authority);
        }
        shares.writeTo(action, authority);
        rule.retries()
                .map(retries -> RetryPolicies.of(retries, hashes))
                .orElseGet(() -> RetryPolicies.usual(context.retries(), hashes))
                .ifPresent(action::setRetryPolicy);
        return action.build();
    }

    private static void writePath(Rewrite rewrite, RouteAction.Builder action) {
        if (!rewrite.pattern().isEmpty()) {
            new PathEdit.Regex(rewrite.pattern(), rewrite.uri()).writeTo(action);
        } else if (!rewrite.uri().isEmpty()) {
            new PathEdit.Matched(rewrite.uri()).writeTo(action);
        }
    }

    private static DirectResponseAction respond(int status, String body) {
        var response = DirectResponseAction.newBuilder().setStatus(status);
        if (!body.isEmpty()) {
            response.setBody(DataSource.newBuilder().setInlineString(body));
        }
        return response.build();
    }
}
