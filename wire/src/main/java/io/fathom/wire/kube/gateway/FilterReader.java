// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.gateway;

import io.fathom.wire.kube.gateway.RouteFilter.Cors;
import io.fathom.wire.kube.gateway.RouteFilter.Cors.Credentials;
import io.fathom.wire.kube.gateway.RouteFilter.ExternalAuth;
import io.fathom.wire.kube.gateway.RouteFilter.Header;
import io.fathom.wire.kube.gateway.RouteFilter.HeaderChanges;
import io.fathom.wire.kube.gateway.RouteFilter.PathChange;
import io.fathom.wire.kube.gateway.RouteManifest.BackendRef;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Reads the filters of routes. A filter says its type and holds what that type needs in a field of its own.
final class FilterReader {
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
    private static final Choices<ExternalAuth.Protocol> PROTOCOLS =
            Choices.of(ExternalAuth.Protocol.class, ExternalAuth.Protocol::name);
    private static final Choices<Type> TYPES = Choices.of(Type.class, type -> type.text);
    private static final Choices<Replacement> REPLACEMENTS = Choices.of(Replacement.class, kind -> kind.text);

    private enum Type {
        REQUEST_HEADERS("RequestHeaderModifier"),
        RESPONSE_HEADERS("ResponseHeaderModifier"),
        MIRROR("RequestMirror"),
        REDIRECT("RequestRedirect"),
        REWRITE("URLRewrite"),
        CORS("CORS"),
        EXTERNAL_AUTH("ExternalAuth"),
        EXTENSION("ExtensionRef");

        private final String text;

        Type(String text) {
            this.text = text;
        }
    }

    private enum Replacement {
        WHOLE("ReplaceFullPath"),
        PREFIX("ReplacePrefixMatch");

        private final String text;

        Replacement(String text) {
            this.text = text;
        }
    }

    private FilterReader() {}

    static List<RouteFilter> filters(Field list, Interner interner) {
        return list.items().stream().map(filter -> filter(filter, interner)).toList();
    }

    static BackendRef backend(Field ref, Interner interner) {
        return interner.record(new BackendRef(
                interner.text(ref.at("group").text()),
                interner.text(ref.at("kind").text("Service")),
                interner.text(ref.at("namespace").text()),
                interner.text(ref.at("name").requiredText()),
                ref.at("port").integer(1, Ports.MOST).orElse(0)));
    }

    private static RouteFilter filter(Field filter, Interner interner) {
        return switch (filter.at("type").oneOf(TYPES)) {
            case REQUEST_HEADERS -> new RouteFilter.RequestHeaders(headers(present(filter, "requestHeaderModifier")));
            case RESPONSE_HEADERS ->
                new RouteFilter.ResponseHeaders(headers(present(filter, "responseHeaderModifier")));
            case MIRROR -> mirror(present(filter, "requestMirror"), interner);
            case REDIRECT -> redirect(present(filter, "requestRedirect"));
            case REWRITE -> {
                var rewrite = present(filter, "urlRewrite");
                yield new RouteFilter.Rewrite(rewrite.at("hostname").text(), path(rewrite.at("path")));
            }
            case CORS -> cors(present(filter, "cors"));
            case EXTERNAL_AUTH -> externalAuth(present(filter, "externalAuth"), interner);
            case EXTENSION -> {
                var ref = present(filter, "extensionRef");
                yield new RouteFilter.Extension(
                        ref.at("group").text(),
                        ref.at("kind").requiredText(),
                        ref.at("name").requiredText());
            }
        };
    }

    private static Field present(Field filter, String name) {
        var field = filter.at(name);
        if (!field.isPresent()) {
            throw field.missing("add it: the filter's type asks for it");
        }
        return field;
    }

    private static HeaderChanges headers(Field changes) {
        return new HeaderChanges(
                list(changes.at("set")),
                list(changes.at("add")),
                changes.at("remove").texts());
    }

    private static List<Header> list(Field headers) {
        return headers.items().stream()
                .map(header -> new Header(
                        header.at("name").requiredText(), header.at("value").text()))
                .toList();
    }

    private static RouteFilter mirror(Field mirror, Interner interner) {
        var fraction = mirror.at("fraction");
        var percent = mirror.at("percent").integer(0, 100);
        var numerator = percent.isPresent()
                ? percent.getAsInt()
                : fraction.at("numerator").integer(0, Integer.MAX_VALUE).orElse(fraction.isPresent() ? 0 : 100);
        return new RouteFilter.Mirror(
                backend(present(mirror, "backendRef"), interner),
                numerator,
                percent.isPresent()
                        ? 100
                        : fraction.at("denominator")
                                .integer(1, Integer.MAX_VALUE)
                                .orElse(100));
    }

    private static RouteFilter redirect(Field redirect) {
        var status = redirect.at("statusCode").integer(300, 399).orElse(302);
        if (!REDIRECTS.contains(status)) {
            throw redirect.at("statusCode")
                    .wrong("manifest-unknown-value", "is " + status, "write 301, 302, 303, 307 or 308");
        }
        return new RouteFilter.Redirect(
                redirect.at("scheme").text(),
                redirect.at("hostname").text(),
                path(redirect.at("path")),
                redirect.at("port").integer(1, Ports.MOST).orElse(0),
                status);
    }

    private static Optional<PathChange> path(Field path) {
        if (!path.isPresent()) {
            return Optional.empty();
        }
        return Optional.of(
                switch (path.at("type").oneOf(REPLACEMENTS)) {
                    case WHOLE ->
                        new PathChange.Whole(path.at("replaceFullPath").text());
                    case PREFIX ->
                        new PathChange.Prefix(path.at("replacePrefixMatch").text());
                });
    }

    private static RouteFilter cors(Field cors) {
        return new Cors(
                cors.at("allowOrigins").texts(),
                cors.at("allowMethods").texts(),
                cors.at("allowHeaders").texts(),
                cors.at("exposeHeaders").texts(),
                cors.at("allowCredentials").flag() ? Credentials.ALLOWED : Credentials.REFUSED,
                cors.at("maxAge").integer(1, Integer.MAX_VALUE).orElse(5));
    }

    private static RouteFilter externalAuth(Field auth, Interner interner) {
        var protocol = auth.at("protocol").oneOf(PROTOCOLS);
        var own = auth.at(protocol == ExternalAuth.Protocol.HTTP ? "http" : "grpc");
        return new ExternalAuth(
                protocol,
                backend(present(auth, "backendRef"), interner),
                own.at("path").text(),
                own.at("allowedHeaders").texts(),
                own.at("allowedResponseHeaders").texts(),
                auth.at("forwardBody")
                        .at("maxSize")
                        .integer(0, Integer.MAX_VALUE)
                        .orElse(0));
    }
}
