// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.gateway.GrpcRouteManifest.GrpcMatch;
import io.fathom.wire.kube.gateway.GrpcRouteManifest.GrpcRule;
import io.fathom.wire.kube.gateway.GrpcRouteManifest.MethodMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.HttpMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.HttpRule;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.Retry;
import io.fathom.wire.kube.gateway.HttpRouteManifest.SessionPersistence;
import io.fathom.wire.kube.gateway.HttpRouteManifest.SessionPersistence.By;
import io.fathom.wire.kube.gateway.HttpRouteManifest.SessionPersistence.CookieLife;
import io.fathom.wire.kube.gateway.HttpRouteManifest.Timeouts;
import io.fathom.wire.kube.gateway.RouteManifest.Comparison;
import io.fathom.wire.kube.gateway.RouteManifest.ConnectionRule;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.gateway.RouteManifest.ValueMatch;
import io.fathom.wire.kube.gateway.RouteManifest.WeightedBackend;
import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.manifest.Regexes;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads routes and ReferenceGrants of the Gateway API, with the defaults of its definitions.
public final class RouteReaders {
    private static final Pattern HOSTNAME =
            Pattern.compile("(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final int MOST_WEIGHT = 1_000_000;

    private static final Choices<PathMatch.PathMatchType> PATHS =
            Choices.of(PathMatch.PathMatchType.class, kind -> switch (kind) {
                case EXACT -> "Exact";
                case PREFIX -> "PathPrefix";
                case REGEX -> "RegularExpression";
            });
    private static final Choices<Comparison> COMPARISONS = Choices.of(Comparison.class, kind -> switch (kind) {
        case EXACT -> "Exact";
        case REGEX -> "RegularExpression";
    });
    private static final Choices<By> PERSISTENCE = Choices.of(By.class, by -> switch (by) {
        case COOKIE -> "Cookie";
        case HEADER -> "Header";
    });
    private static final Choices<CookieLife> COOKIES = Choices.of(CookieLife.class, life -> switch (life) {
        case SESSION -> "Session";
        case PERMANENT -> "Permanent";
    });

    private RouteReaders() {}

    public static Manifest http(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        var rules = spec.at("rules").items().stream()
                .map(rule -> httpRule(rule, interner))
                .toList();
        return new HttpRouteManifest(
                metadata, parents(spec, interner), hostnames(spec), rules.isEmpty() ? List.of(everything()) : rules);
    }

    public static Manifest grpc(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new GrpcRouteManifest(
                metadata,
                parents(spec, interner),
                hostnames(spec),
                spec.at("rules").items().stream()
                        .map(rule -> grpcRule(rule, interner))
                        .toList());
    }

    public static Manifest tcp(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new TcpRouteManifest(metadata, parents(spec, interner), connectionRules(spec, interner));
    }

    public static Manifest tls(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new TlsRouteManifest(
                metadata, parents(spec, interner), hostnames(spec), connectionRules(spec, interner));
    }

    public static Manifest referenceGrant(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new ReferenceGrantManifest(
                metadata,
                spec.at("from").items().stream()
                        .map(from -> new ReferenceGrantManifest.From(
                                interner.text(from.at("group").text()),
                                interner.text(from.at("kind").requiredText()),
                                interner.text(from.at("namespace").requiredText())))
                        .toList(),
                spec.at("to").items().stream()
                        .map(to -> new ReferenceGrantManifest.To(
                                interner.text(to.at("group").text()),
                                interner.text(to.at("kind").requiredText()),
                                to.at("name").text()))
                        .toList());
    }

    private static List<ParentRef> parents(Field spec, Interner interner) {
        return spec.at("parentRefs").items().stream()
                .map(ref -> interner.record(new ParentRef(
                        interner.text(ref.at("group").text(RouteManifest.GROUP)),
                        interner.text(ref.at("kind").text("Gateway")),
                        interner.text(ref.at("namespace").text()),
                        interner.text(ref.at("name").requiredText()),
                        interner.text(ref.at("sectionName").text()),
                        ref.at("port").integer(1, Ports.MOST).orElse(0))))
                .toList();
    }

    private static List<String> hostnames(Field spec) {
        for (var field : spec.at("hostnames").items()) {
            if (!HOSTNAME.matcher(field.text()).matches()) {
                throw field.wrong(
                        "manifest-bad-value",
                        "is \"" + field.text() + "\", which is no host name",
                        "write a name like web.example.com, or *.example.com, without port or scheme");
            }
        }
        return spec.at("hostnames").texts();
    }

    private static HttpRule everything() {
        return new HttpRule(
                "",
                List.of(new HttpMatch(PathMatch.ALL, List.of(), List.of(), "")),
                List.of(),
                List.of(),
                Timeouts.NONE,
                Optional.empty(),
                Optional.empty());
    }

    private static HttpRule httpRule(Field rule, Interner interner) {
        var matches =
                rule.at("matches").items().stream().map(RouteReaders::httpMatch).toList();
        return new HttpRule(
                rule.at("name").text(),
                matches.isEmpty() ? everything().matches() : matches,
                FilterReader.filters(rule.at("filters"), interner),
                backends(rule.at("backendRefs"), interner),
                new Timeouts(
                        Durations.read(rule.at("timeouts").at("request")),
                        Durations.read(rule.at("timeouts").at("backendRequest"))),
                retry(rule.at("retry")),
                persistence(rule.at("sessionPersistence")));
    }

    private static HttpMatch httpMatch(Field match) {
        var path = match.at("path");
        var kind = path.at("type").oneOf(PATHS, PathMatch.PathMatchType.PREFIX);
        var value = path.at("value").text("/");
        if (kind != PathMatch.PathMatchType.REGEX && !value.startsWith("/")) {
            throw path.at("value")
                    .wrong("manifest-bad-value", "is \"" + value + "\", which is no path", "begin it with a slash");
        }
        if (kind == PathMatch.PathMatchType.REGEX) {
            Regexes.check(path.at("value"));
        }
        return new HttpMatch(
                new PathMatch(kind, value),
                values(match.at("headers")),
                values(match.at("queryParams")),
                match.at("method").text());
    }

    private static List<ValueMatch> values(Field list) {
        return list.items().stream()
                .map(each ->
                        new ValueMatch(each.at("name").requiredText(), comparison(each), value(each, each.at("value"))))
                .toList();
    }

    private static Comparison comparison(Field match) {
        return match.at("type").oneOf(COMPARISONS, Comparison.EXACT);
    }

    private static String value(Field match, Field value) {
        if (comparison(match) == Comparison.REGEX) {
            Regexes.check(value);
        }
        return value.text();
    }

    private static GrpcRule grpcRule(Field rule, Interner interner) {
        return new GrpcRule(
                rule.at("name").text(),
                rule.at("matches").items().stream()
                        .map(match -> new GrpcMatch(method(match.at("method")), values(match.at("headers"))))
                        .toList(),
                FilterReader.filters(rule.at("filters"), interner),
                backends(rule.at("backendRefs"), interner),
                persistence(rule.at("sessionPersistence")));
    }

    private static Optional<MethodMatch> method(Field method) {
        if (!method.isPresent()) {
            return Optional.empty();
        }
        var service = value(method, method.at("service"));
        var name = value(method, method.at("method"));
        if (service.isEmpty() && name.isEmpty()) {
            throw method.wrong("manifest-missing-field", "names nothing", "write service, method, or both");
        }
        return Optional.of(new MethodMatch(comparison(method), service, name));
    }

    private static List<ConnectionRule> connectionRules(Field spec, Interner interner) {
        return spec.at("rules").items().stream()
                .map(rule -> new ConnectionRule(rule.at("name").text(), backends(rule.at("backendRefs"), interner)))
                .toList();
    }

    private static List<WeightedBackend> backends(Field list, Interner interner) {
        return list.items().stream()
                .map(ref -> new WeightedBackend(
                        FilterReader.backend(ref, interner),
                        ref.at("weight").integer(0, MOST_WEIGHT).orElse(1),
                        FilterReader.filters(ref.at("filters"), interner)))
                .toList();
    }

    private static Optional<Retry> retry(Field retry) {
        return retry.isPresent()
                ? Optional.of(new Retry(
                        retry.at("codes").items().stream()
                                .map(code -> code.requiredInteger(400, 599))
                                .toList(),
                        retry.at("attempts").integer(0, Integer.MAX_VALUE).orElse(-1),
                        Durations.read(retry.at("backoff"))))
                : Optional.empty();
    }

    private static Optional<SessionPersistence> persistence(Field field) {
        return field.isPresent()
                ? Optional.of(new SessionPersistence(
                        field.at("sessionName").text(),
                        field.at("type").oneOf(PERSISTENCE, By.COOKIE),
                        Durations.read(field.at("absoluteTimeout")),
                        field.at("cookieConfig").at("lifetimeType").oneOf(COOKIES, CookieLife.SESSION)))
                : Optional.empty();
    }
}
