// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.oci;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Optional;
import java.util.regex.Pattern;

/// Where a registry gives out tokens: the `WWW-Authenticate` header of a refusal.
record Challenge(String realm, String service) {
    private static final Pattern PART = Pattern.compile("([a-z]+)=\"([^\"]*)\"");

    /// Empty unless tokens are wanted.
    static Optional<Challenge> parse(String header) {
        if (!header.regionMatches(true, 0, "Bearer ", 0, "Bearer ".length())) {
            return Optional.empty();
        }
        var parts = new HashMap<String, String>();
        for (var part = PART.matcher(header); part.find(); ) {
            parts.put(part.group(1), part.group(2));
        }
        var realm = parts.getOrDefault("realm", "");
        return realm.isEmpty()
                ? Optional.empty()
                : Optional.of(new Challenge(realm, parts.getOrDefault("service", "")));
    }

    String address(String scope) {
        return realm + (realm.contains("?") ? "&" : "?") + "service=" + encoded(service) + "&scope=" + encoded(scope);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
