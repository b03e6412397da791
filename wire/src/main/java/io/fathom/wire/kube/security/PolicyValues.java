// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// Reads the values of policies: none may be empty, and each must be one that can match something. What cannot be read
/// here could not be enforced later.
final class PolicyValues {
    private static final int HIGHEST_PORT = 65_535;
    private static final Pattern PORT = Pattern.compile("0*[0-9]{1,5}");
    private static final Pattern ACCOUNT = Pattern.compile("[^/*]+(/[^/*]+)?");
    private static final Pattern INNER_STAR = Pattern.compile(".+\\*.+|\\*.*\\*");
    private static final Pattern KEY = Pattern.compile("source\\.(ip|namespace|principal|serviceAccount)"
            + "|remote\\.ip|destination\\.(ip|port)|connection\\.sni"
            + "|request\\.auth\\.(principal|audiences|presenter|claims\\[[^\\[\\]]+](\\[[^\\[\\]]+])*)"
            + "|request\\.headers\\[[^\\[\\]]+]"
            + "|experimental\\.envoy\\.filters\\.[^\\[]+\\[[^]]+]");

    private PolicyValues() {}

    static List<String> texts(Field values) {
        return each(values, _ -> {});
    }

    /// Patterns with a star at one end only: elsewhere it would stand for itself, and match nobody.
    static List<String> patterns(Field values) {
        return each(values, value -> {
            if (INNER_STAR.matcher(value.text()).matches()) {
                throw bad(
                        value, "has a * in the middle, where it matches nothing", "write * at one end only, or alone");
            }
        });
    }

    static List<String> blocks(Field values) {
        return each(values, value -> {
            if (IpBlock.parse(value.text()).isEmpty()) {
                throw bad(value, "is no address", "write an address such as 10.0.0.1, or a block such as 10.0.0.0/24");
            }
        });
    }

    static List<String> ports(Field values) {
        return each(values, value -> {
            if (!PORT.matcher(value.text()).matches() || Integer.parseInt(value.text()) > HIGHEST_PORT) {
                throw bad(value, "is no port", "write a number up to " + HIGHEST_PORT + ", in quotes");
            }
        });
    }

    /// `name`, or `namespace/name`.
    static List<String> accounts(Field values) {
        return each(values, value -> {
            if (!ACCOUNT.matcher(value.text()).matches()) {
                throw bad(value, "is no service account", "write name or namespace/name, without wildcards");
            }
        });
    }

    /// The key of a condition.
    static String key(Field field) {
        var key = field.requiredText();
        if (!KEY.matcher(key).matches()) {
            throw field.wrong(
                    "manifest-unknown-value",
                    "is \"" + key + "\", which is no attribute",
                    "write one like source.namespace, destination.port or request.headers[name]");
        }
        return key;
    }

    /// The values of a condition with that key.
    static List<String> of(String key, Field values) {
        return switch (key) {
            case "source.ip", "remote.ip", "destination.ip" -> blocks(values);
            case "destination.port" -> ports(values);
            case "source.serviceAccount" -> accounts(values);
            case "source.principal" -> patterns(values);
            default -> texts(values);
        };
    }

    private static List<String> each(Field values, Consumer<Field> check) {
        for (var value : values.items()) {
            if (value.text().isEmpty()) {
                throw value.missing("write a value, or delete it");
            }
            check.accept(value);
        }
        return values.texts();
    }

    private static RuntimeException bad(Field value, String what, String fix) {
        return value.wrong("manifest-bad-value", "is \"" + value.text() + "\", which " + what, fix);
    }
}
