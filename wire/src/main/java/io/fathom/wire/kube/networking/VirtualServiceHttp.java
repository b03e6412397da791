// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.gateway.RouteFilter.Header;
import io.fathom.wire.kube.gateway.RouteFilter.HeaderChanges;
import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.manifest.Regexes;
import io.fathom.wire.kube.networking.VirtualServiceManifest.CorsPolicy;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Destination;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Headers;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpAction;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpRule;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Mirror;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Retries;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Rewrite;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TextMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.UriCase;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Reads the HTTP rules of VirtualServices.
public final class VirtualServiceHttp {
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
    /// What proxies are told to accept.
    private static final int MOST_BODY = 1 << 20;
    private static final Choices<PortOf> PORTS = Choices.of(PortOf.class, PortOf::name);
    private static final Choices<Preflights> PREFLIGHTS = Choices.of(Preflights.class, Preflights::name);

    private enum PortOf {
        FROM_PROTOCOL_DEFAULT,
        FROM_REQUEST_PORT
    }

    private enum Preflights {
        UNSPECIFIED,
        FORWARD,
        IGNORE
    }

    private VirtualServiceHttp() {}

    static HttpRule rule(Field rule, String namespace, Interner interner) {
        return new HttpRule(
                rule.at("name").text(),
                rule.at("match").items().stream()
                        .map(match -> match(match, interner))
                        .toList(),
                action(rule, namespace, interner),
                headers(rule.at("headers")),
                Durations.decimal(rule.at("timeout")),
                retries(rule.at("retries")),
                VirtualServiceFaults.read(rule.at("fault")),
                mirrors(rule, interner),
                cors(rule.at("corsPolicy")));
    }

    private static HttpMatch match(Field match, Interner interner) {
        return new HttpMatch(
                match.at("name").text(),
                text(match.at("uri")),
                match.at("ignoreUriCase").flag() ? UriCase.IGNORED : UriCase.MATTERS,
                text(match.at("scheme")),
                text(match.at("method")),
                text(match.at("authority")),
                texts(match.at("headers")),
                texts(match.at("withoutHeaders")),
                texts(match.at("queryParams")),
                VirtualServiceReader.port(match),
                VirtualServiceReader.callers(match, interner),
                match.at("statPrefix").text());
    }

    private static Optional<TextMatch> text(Field field) {
        return field.isPresent() ? Optional.of(textMatch(field)) : Optional.empty();
    }

    private static SortedMap<String, TextMatch> texts(Field fields) {
        var found = new TreeMap<String, TextMatch>();
        fields.entries().forEach((name, field) -> found.put(name, textMatch(field)));
        return found;
    }

    private static TextMatch textMatch(Field field) {
        if (field.at("exact").isPresent()) {
            return new TextMatch(
                    TextMatch.StringMatchType.EXACT, field.at("exact").text());
        }
        if (field.at("prefix").isPresent()) {
            return new TextMatch(
                    TextMatch.StringMatchType.PREFIX, field.at("prefix").text());
        }
        var regex = field.at("regex").text();
        return regex.isEmpty() || regex.equals("*")
                ? TextMatch.ANY
                : new TextMatch(TextMatch.StringMatchType.REGEX, Regexes.checked(field.at("regex")));
    }

    private static HttpAction action(Field rule, String namespace, Interner interner) {
        if (rule.at("redirect").isPresent()) {
            return redirect(rule.at("redirect"));
        }
        if (rule.at("directResponse").isPresent()) {
            return respond(rule.at("directResponse"));
        }
        var delegate = rule.at("delegate");
        if (delegate.isPresent()) {
            return new HttpAction.Delegate(
                    delegate.at("namespace").text(namespace),
                    delegate.at("name").requiredText());
        }
        var to = rule.at("route").items().stream()
                .map(route -> destination(route, interner))
                .toList();
        if (to.isEmpty()) {
            throw rule.at("route").missing("add route, redirect, directResponse or delegate");
        }
        return new HttpAction.Forward(to, rewrite(rule.at("rewrite")));
    }

    private static Destination destination(Field route, Interner interner) {
        return VirtualServiceReader.destination(
                route.at("destination"),
                route.at("weight").integer(0, VirtualServiceReader.MOST_WEIGHT).orElse(0),
                headers(route.at("headers")),
                interner);
    }

    private static HttpAction redirect(Field redirect) {
        var code = redirect.at("redirectCode").integer(0, 399).orElse(301);
        if (code != 0 && !REDIRECTS.contains(code)) {
            throw redirect.at("redirectCode")
                    .wrong("manifest-unknown-value", "is " + code, "write 301, 302, 303, 307 or 308");
        }
        var derived = redirect.at("derivePort").oneOf(PORTS, PortOf.FROM_PROTOCOL_DEFAULT);
        return new HttpAction.Redirect(
                redirect.at("uri").text(),
                redirect.at("prefixRewrite").text(),
                redirect.at("authority").text(),
                redirect.at("scheme").text(),
                redirect.at("port")
                        .integer(0, Ports.MOST)
                        .orElse(derived == PortOf.FROM_REQUEST_PORT ? HttpAction.Redirect.PORT_OF_REQUEST : 0),
                code == 0 ? 301 : code);
    }

    private static HttpAction respond(Field response) {
        var bytes = response.at("body").at("bytes");
        var body = bytes.isPresent()
                ? decoded(bytes)
                : response.at("body").at("string").text();
        if (body.getBytes(StandardCharsets.UTF_8).length > MOST_BODY) {
            throw response.at("body")
                    .wrong("manifest-bad-value", "is too long to answer with", "shorten it to a mebibyte");
        }
        return new HttpAction.Respond(response.at("status").requiredInteger(200, 599), body);
    }

    private static String decoded(Field bytes) {
        try {
            return new String(Base64.getDecoder().decode(bytes.text()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw bytes.wrong("manifest-bad-value", "is no base64", "encode it, or write string instead of bytes");
        }
    }

    private static Optional<Rewrite> rewrite(Field rewrite) {
        if (!rewrite.isPresent()) {
            return Optional.empty();
        }
        var regex = rewrite.at("uriRegexRewrite");
        var pattern = regex.isPresent() ? Regexes.checked(regex.at("match")) : "";
        var uri = regex.isPresent()
                ? Regexes.substitution(regex.at("rewrite"), pattern)
                : rewrite.at("uri").text();
        return Optional.of(new Rewrite(pattern, uri, rewrite.at("authority").text()));
    }

    private static Headers headers(Field headers) {
        return headers.isPresent()
                ? new Headers(changes(headers.at("request")), changes(headers.at("response")))
                : Headers.UNCHANGED;
    }

    private static HeaderChanges changes(Field changes) {
        return new HeaderChanges(
                list(changes.at("set")),
                list(changes.at("add")),
                changes.at("remove").texts());
    }

    private static List<Header> list(Field headers) {
        return new TreeMap<>(headers.textMap())
                .entrySet().stream()
                        .map(header -> new Header(header.getKey(), header.getValue()))
                        .toList();
    }

    public static Optional<Retries> retries(Field retries) {
        return retries.isPresent()
                ? Optional.of(new Retries(
                        retries.at("attempts").integer(0, Integer.MAX_VALUE).orElse(0),
                        Durations.decimal(retries.at("perTryTimeout")),
                        retries.at("retryOn").text(),
                        Durations.decimal(retries.at("backoff")),
                        flag(retries.at("retryIgnorePreviousHosts")),
                        flag(retries.at("retryRemoteLocalities"))))
                : Optional.empty();
    }

    private static Optional<Boolean> flag(Field field) {
        return field.isPresent() ? Optional.of(field.flag()) : Optional.empty();
    }

    private static List<Mirror> mirrors(Field rule, Interner interner) {
        var mirrors = new ArrayList<Mirror>();
        if (rule.at("mirror").isPresent()) {
            var percent = Stream.of(rule.at("mirrorPercentage").at("value"), rule.at("mirrorPercent"))
                    .filter(Field::isPresent)
                    .findFirst();
            mirrors.add(new Mirror(
                    VirtualServiceReader.destination(rule.at("mirror"), 0, Headers.UNCHANGED, interner),
                    percent.map(VirtualServiceHttp::percent)
                            .orElse(rule.at("mirrorPercentage").isPresent() ? 0.0 : 100.0)));
        }
        for (var mirror : rule.at("mirrors").items()) {
            mirrors.add(new Mirror(
                    VirtualServiceReader.destination(mirror.at("destination"), 0, Headers.UNCHANGED, interner),
                    mirror.at("percentage").isPresent()
                            ? percent(mirror.at("percentage").at("value"))
                            : 100));
        }
        return mirrors;
    }

    /// 0 when absent.
    static double percent(Field value) {
        return value.decimal(0, 100).orElse(0);
    }

    private static Optional<CorsPolicy> cors(Field cors) {
        if (!cors.isPresent()) {
            return Optional.empty();
        }
        var origins = cors.at("allowOrigins").isPresent()
                ? cors.at("allowOrigins").items().stream()
                        .map(VirtualServiceHttp::textMatch)
                        .toList()
                : cors.at("allowOrigin").texts().stream()
                        .map(origin -> origin.equals("*")
                                ? new TextMatch(TextMatch.StringMatchType.REGEX, ".*")
                                : new TextMatch(TextMatch.StringMatchType.EXACT, origin))
                        .toList();
        return Optional.of(new CorsPolicy(
                origins,
                cors.at("allowMethods").texts(),
                cors.at("allowHeaders").texts(),
                cors.at("exposeHeaders").texts(),
                Durations.decimal(cors.at("maxAge")),
                flag(cors.at("allowCredentials")),
                cors.at("unmatchedPreflights").oneOf(PREFLIGHTS, Preflights.UNSPECIFIED) == Preflights.IGNORE
                        ? CorsPolicy.Unmatched.ANSWERED
                        : CorsPolicy.Unmatched.FORWARDED));
    }
}
