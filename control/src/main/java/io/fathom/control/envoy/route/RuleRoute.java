// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.route.v3.Decorator;
import io.envoyproxy.envoy.config.route.v3.DirectResponseAction;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteAction.ClusterNotFoundResponseCode;
import io.envoyproxy.envoy.config.route.v3.RouteAction.RequestMirrorPolicy;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.fathom.control.envoy.route.HeaderEdits.Values;
import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import io.fathom.wire.kube.gateway.GrpcRouteManifest;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.Retry;
import io.fathom.wire.kube.gateway.HttpRouteManifest.SessionPersistence;
import io.fathom.wire.kube.gateway.HttpRouteManifest.Timeouts;
import io.fathom.wire.kube.gateway.RouteFilter;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.WeightedBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Builds the route for one match of a rule of an HTTPRoute or GRPCRoute.
///
/// What cannot be done as asked is never left out: such requests get an error, 500, or 503 for calls, which their
/// clients see as `UNAVAILABLE`.
final class RuleRoute {
    /// What all matches of a rule share.
    record RouteRule(
            RouteManifest route,
            String name,
            List<RouteFilter> filters,
            List<WeightedBackend> backends,
            Timeouts timeouts,
            Optional<Retry> retry,
            Optional<SessionPersistence> persistence) {}

    private final RouteContext context;
    private final RequestPort port;
    private final FilterNeeds needs;
    private final RouteRule rule;

    private final Map<String, Any> perFilter = new LinkedHashMap<>();
    private final List<RequestMirrorPolicy> mirrors = new ArrayList<>();
    private HeaderEdits edits = HeaderEdits.NONE;
    private RouteFilter.@Nullable Redirect redirect;
    private RouteFilter.@Nullable Rewrite rewrite;
    private boolean isImpossible;

    RuleRoute(RouteContext context, RequestPort port, FilterNeeds needs, RouteRule rule) {
        this.context = context;
        this.port = port;
        this.needs = needs;
        this.rule = rule;
    }

    Route build(RouteMatch match, PathMatch path) {
        rule.filters().forEach(this::take);
        var shares = Shares.of(rule.backends().stream().map(this::share));
        var kind = rule.route() instanceof GrpcRouteManifest ? "grpc-route" : "http-route";
        var out = Route.newBuilder()
                .setName(rule.name())
                .setMatch(match)
                .setMetadata(RouteLabels.origin(
                        RouteManifest.GROUP + "/v1", kind, rule.route().key()));
        if (redirect != null && !isImpossible) {
            out.setRedirect(Redirects.of(redirect, path, port));
        } else if (isImpossible || shares.isEmpty()) {
            out.setDirectResponse(DirectResponseAction.newBuilder().setStatus(failure()));
        } else {
            edits = shares.common().then(edits);
            rule.persistence().ifPresent(persistence -> persist(Sessions.of(persistence, path)));
            if (rule.persistence().isEmpty() && context.labels() == RouteContext.SessionLabels.HONOURED) {
                shares.services()
                        .flatMap(service -> Sessions.of(service).stream())
                        .findFirst()
                        .ifPresent(this::persist);
            }
            out.setRoute(action(shares, path));
        }
        edits.writeTo(out);
        return out.setDecorator(Decorator.newBuilder()
                        .setOperation(RouteLabels.operation(out, rule.route().name(), port.number())))
                .putAllTypedPerFilterConfig(perFilter)
                .build();
    }

    private void take(RouteFilter filter) {
        switch (filter) {
            case RouteFilter.RequestHeaders(var changes) ->
                edits = edits.then(HeaderEdits.ofRequest(changes, Values.LITERAL));
            case RouteFilter.ResponseHeaders(var changes) ->
                edits = edits.then(HeaderEdits.ofResponse(changes, Values.LITERAL));
            case RouteFilter.Mirror mirror ->
                Mirrors.of(
                                Backend.of(context, rule.route(), mirror.target(), ClusterLayer.HTTP),
                                Fractions.of(mirror.numerator(), mirror.denominator()))
                        .ifPresent(mirrors::add);
            case RouteFilter.Redirect wanted -> redirect = wanted;
            case RouteFilter.Rewrite wanted -> rewrite = wanted;
            case RouteFilter.Cors cors -> perFilter.put(CorsPolicies.FILTER, CorsPolicies.of(cors));
            case RouteFilter.ExternalAuth auth -> ask(auth);
            case RouteFilter.Extension _ -> isImpossible = true;
        }
    }

    private void ask(RouteFilter.ExternalAuth auth) {
        var backend = Backend.of(context, rule.route(), auth.target(), ClusterLayer.HTTP);
        if (!backend.isKnown()) {
            isImpossible = true;
            return;
        }
        var filter = AuthChecks.filter(auth, backend);
        needs.add(filter);
        perFilter.put(filter.getName(), AuthChecks.awake());
    }

    private void persist(Any session) {
        needs.add(Sessions.filter());
        perFilter.put(Sessions.FILTER, session);
    }

    private Shares.Share share(WeightedBackend backend) {
        var own = HeaderEdits.NONE;
        for (var filter : backend.filters()) {
            switch (filter) {
                case RouteFilter.RequestHeaders(var changes) ->
                    own = own.then(HeaderEdits.ofRequest(changes, Values.LITERAL));
                case RouteFilter.ResponseHeaders(var changes) ->
                    own = own.then(HeaderEdits.ofResponse(changes, Values.LITERAL));
                case RouteFilter.Mirror _,
                        RouteFilter.Redirect _,
                        RouteFilter.Rewrite _,
                        RouteFilter.Cors _,
                        RouteFilter.ExternalAuth _,
                        RouteFilter.Extension _ -> isImpossible = true; // Envoy knows these only for whole routes
            }
        }
        return new Shares.Share(
                Backend.of(context, rule.route(), backend.target(), ClusterLayer.HTTP), backend.weight(), own);
    }

    private int failure() {
        return rule.route() instanceof GrpcRouteManifest ? 503 : 500;
    }

    private RouteAction action(Shares shares, PathMatch path) {
        var hashes = shares.hashes(context.hashes());
        var action =
                RouteAction.newBuilder().addAllRequestMirrorPolicies(mirrors).addAllHashPolicy(hashes);
        Durations.writeTimeout(timeout(), action);
        if (failure() == 500) {
            action.setClusterNotFoundResponseCode(ClusterNotFoundResponseCode.INTERNAL_SERVER_ERROR);
        }
        var authority = edits.authority();
        if (rewrite != null) {
            rewrite.path().ifPresent(change -> PathEdit.of(change, path).writeTo(action));
            authority = rewrite.hostname().isEmpty() ? authority : rewrite.hostname();
        }
        if (!authority.isEmpty()) {
            action.setHostRewriteLiteral(authority);
        }
        shares.writeTo(action, authority);
        rule.retry()
                .map(retry -> RetryPolicies.of(retry, rule.timeouts().backend(), hashes))
                .orElseGet(() -> RetryPolicies.usual(context.retries(), hashes))
                .ifPresent(action::setRetryPolicy);
        return action.build();
    }

    /// The limit of one attempt is that of all when there is no other attempt. Zero for none.
    private Duration timeout() {
        var whole = rule.timeouts().request().orElse(Duration.ZERO);
        var attempt = rule.timeouts().backend().orElse(Duration.ZERO);
        var hasAttempts = rule.retry().filter(retry -> retry.attempts() != 0).isPresent();
        if (hasAttempts || attempt.isZero()) {
            return whole;
        }
        return whole.isZero() || attempt.compareTo(whole) < 0 ? attempt : whole;
    }
}
