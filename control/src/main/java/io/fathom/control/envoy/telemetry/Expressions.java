// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import java.util.Optional;
import java.util.regex.Pattern;

/// CEL expressions of users in format strings.
final class Expressions {
    private static final Pattern LITERAL = Pattern.compile("\"([^\"\\\\%]+)\"|'([^'\\\\%]+)'");
    /// Of Istio's own proxy; stock Envoy has neither.
    private static final Pattern FOREIGN =
            Pattern.compile("\\b(upstream_peer|downstream_peer|upstream_peer_id|downstream_peer_id|istio_[a-z]+)\\b");

    private Expressions() {}

    /// A format string with the value of an expression; `unknown` for one that stock Envoy does not have.
    static String format(String expression) {
        var literal = LITERAL.matcher(expression.strip());
        if (literal.matches()) {
            return Optional.ofNullable(literal.group(1)).orElseGet(() -> literal.group(2));
        }
        return mistake(expression).isPresent() ? PeerState.UNKNOWN : "%CEL(" + expression + ")%";
    }

    /// What is wrong with it, if anything is.
    static Optional<String> mistake(String expression) {
        var foreign = FOREIGN.matcher(expression);
        if (foreign.find()) {
            return Optional.of("uses " + foreign.group() + ", which stock Envoy does not know");
        }
        return expression.contains(")%")
                ? Optional.of("holds \")%\", which ends a format string")
                : CelReview.mistake(expression);
    }
}
