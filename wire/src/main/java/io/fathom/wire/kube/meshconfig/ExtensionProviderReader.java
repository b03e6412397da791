// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider.Body;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider.Http;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider.OnFailure;
import io.fathom.wire.kube.tree.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

/// Reads `extensionProviders` of the mesh configuration.
final class ExtensionProviderReader {
    /// Those that Envoy has names for; it refuses others.
    private static final Pattern STATUSES =
            Pattern.compile("20[0-8]|226|30[0-5]|30[78]|40[0-9]|41[0-7]|42[12346]|42[89]|431|50[0-8]|51[01]");

    private static final int MOST_BODY = 64 * 1024 * 1024;

    /// By the field that says what kind of provider it is.
    private static final Map<String, BiFunction<String, Field, ExtensionProvider>> KINDS = Map.ofEntries(
            Map.entry("envoyExtAuthzHttp", ExtensionProviderReader::httpCheck),
            Map.entry("envoyExtAuthzGrpc", ExtensionProviderReader::grpcCheck));

    private ExtensionProviderReader() {}

    static List<ExtensionProvider> read(Field providers) {
        var names = new HashSet<String>();
        var found = new ArrayList<ExtensionProvider>();
        for (var provider : providers.items()) {
            var name = provider.at("name").requiredText();
            if (!names.add(name)) {
                throw provider.at("name")
                        .wrong("manifest-bad-value", "is \"" + name + "\" a second time", "give it a name of its own");
            }
            found.add(provider(name, provider));
        }
        return found;
    }

    private static ExtensionProvider provider(String name, Field provider) {
        for (var entry : provider.entries().entrySet()) {
            var kind = KINDS.get(entry.getKey());
            if (kind != null) {
                return kind.apply(name, entry.getValue());
            }
        }
        var other = provider.entries().keySet().stream()
                .filter(key -> !key.equals("name"))
                .findFirst();
        return new OtherProvider(name, other.orElse(""));
    }

    private static ExtensionProvider httpCheck(String name, Field check) {
        var headers = check.at("includeRequestHeadersInCheck").texts();
        return check(
                name,
                check,
                Optional.of(new Http(
                        pathPrefix(check.at("pathPrefix")),
                        headers.isEmpty() ? check.at("includeHeadersInCheck").texts() : headers,
                        check.at("includeAdditionalHeadersInCheck").textMap(),
                        check.at("headersToUpstreamOnAllow").texts(),
                        check.at("headersToDownstreamOnDeny").texts(),
                        check.at("headersToDownstreamOnAllow").texts())));
    }

    private static ExtensionProvider grpcCheck(String name, Field check) {
        return check(name, check, Optional.empty());
    }

    private static ExtensionProvider check(String name, Field check, Optional<Http> http) {
        return new ExtAuthzProvider(
                name,
                check.at("service").requiredText(),
                check.at("port").requiredInteger(1, Ports.MOST),
                Durations.decimal(check.at("timeout")),
                check.at("failOpen").flag() ? OnFailure.ALLOW : OnFailure.DENY,
                status(check.at("statusOnError")),
                check.at("clearRouteCache").flag(),
                body(check.at("includeRequestBodyInCheck")),
                http);
    }

    private static String pathPrefix(Field prefix) {
        var text = prefix.text();
        if (!text.isEmpty() && !text.startsWith("/")) {
            throw prefix.wrong("manifest-bad-value", "is \"" + text + "\", which is no path", "begin it with /");
        }
        return text;
    }

    /// A number in quotes, as upstream has it.
    private static OptionalInt status(Field status) {
        var text = status.text();
        if (text.isEmpty()) {
            return OptionalInt.empty();
        }
        if (!STATUSES.matcher(text).matches()) {
            throw status.wrong(
                    "manifest-bad-value",
                    "is \"" + text + "\", which is no HTTP status that proxies know",
                    "write it like \"503\"");
        }
        return OptionalInt.of(Integer.parseInt(text));
    }

    private static Optional<Body> body(Field body) {
        return body.isPresent()
                ? Optional.of(new Body(
                        body.at("maxRequestBytes").requiredInteger(1, MOST_BODY),
                        body.at("allowPartialMessage").flag(),
                        body.at("packAsBytes").flag()))
                : Optional.empty();
    }
}
