// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

import io.fathom.base.lang.Likeness;
import io.fathom.wire.kube.schema.SchemaType.Numeric;
import io.fathom.wire.kube.schema.SchemaType.Text;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// Compares single values with what may stand there. Pure.
final class ScalarCheck {
    private static final Pattern QUANTITY =
            Pattern.compile("[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?");
    private static final Pattern DURATION = Pattern.compile("([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h)");
    private static final Pattern DURATIONS = Pattern.compile("[-+]?(" + DURATION.pattern() + ")+");

    private ScalarCheck() {}

    static void text(Text type, Tree tree, boolean builtIn, Supplier<Field> here, Consumer<MisreadException> found) {
        if (!(tree instanceof Tree.Scalar scalar) || scalar.kind() != Tree.ScalarType.TEXT) {
            tell(here.get(), Field::text, found);
            return;
        }
        var text = scalar.text();
        if (builtIn && text.isEmpty()) {
            return;
        }
        if (!type.choices().isEmpty()) {
            if (!type.choices().contains(text)) {
                found.accept(unknownValue(here.get(), scalar.shortened(), type));
            }
            return;
        }
        var length = text.codePointCount(0, text.length());
        if (!type.length().contains(length)) {
            found.accept(
                    text.isEmpty()
                            ? here.get().missing("add it")
                            : here.get()
                                    .wrong(
                                            "manifest-out-of-range",
                                            "has " + length + " characters, must have " + type.length(),
                                            length > type.length().most() ? "shorten it" : "write more"));
            return;
        }
        if (type.pattern().isPresent() && !type.pattern().get().matcher(text).find()) {
            found.accept(TextForms.mismatch(
                    here.get(), scalar.shortened(), type.pattern().get().pattern()));
            return;
        }
        form(type, text, here, found);
    }

    private static MisreadException unknownValue(Field field, String text, Text type) {
        var choices = String.join(", ", type.choices());
        return field.wrong(
                "manifest-unknown-value",
                "is \"" + text + "\", must be one of " + choices,
                Likeness.closestName(text, type.choices())
                        .map(name -> "write " + name)
                        .orElse("write one of " + choices));
    }

    private static void form(Text type, String text, Supplier<Field> here, Consumer<MisreadException> found) {
        switch (type.form()) {
            case ANY -> {}
            case TIME -> tell(here.get(), Field::instant, found);
            case BASE64 -> {
                if (!TextForms.isBase64(text)) {
                    found.accept(here.get()
                            .wrong("manifest-bad-value", "is not base64", "encode it with base64, or use stringData"));
                }
            }
            case DURATION -> {
                if (!DURATIONS.matcher(text).matches() && !text.equals("0")) {
                    found.accept(here.get()
                            .wrong(
                                    "manifest-bad-value",
                                    "is \"" + text + "\", which is no duration",
                                    "write it like 10s, 0.5s or 1h30m"));
                } else if (text.startsWith("-") || TextForms.seconds(DURATION.matcher(text)) < 0.001) {
                    found.accept(here.get()
                            .wrong(
                                    "manifest-out-of-range",
                                    "is " + text + ", must be at least 1ms",
                                    "write 1ms or more"));
                }
            }
        }
    }

    static void number(Numeric type, Tree tree, Supplier<Field> here, Consumer<MisreadException> found) {
        if (!(tree instanceof Tree.Scalar scalar) || !(type.whole() ? scalar.isWhole() : scalar.isNumber())) {
            var kind = type.whole() ? "a whole number" : "a number";
            var range = type.range().equals(Range.ALL) ? "" : " " + type.range();
            found.accept(here.get()
                    .wrongType(kind, "write " + (range.isEmpty() ? kind : "a number" + range) + ", without quotes"));
            return;
        }
        var value = scalar.number();
        if (!(value >= type.range().least() && value <= type.range().most())) {
            found.accept(here.get()
                    .wrong(
                            "manifest-out-of-range",
                            "is " + scalar.text() + ", must be " + type.range(),
                            "write a number " + type.range()));
        }
    }

    static void flag(Tree tree, Supplier<Field> here, Consumer<MisreadException> found) {
        if (!(tree instanceof Tree.Scalar scalar) || scalar.kind() != Tree.ScalarType.FLAG) {
            tell(here.get(), Field::flag, found);
        }
    }

    static void intOrText(Tree tree, Supplier<Field> here, Consumer<MisreadException> found) {
        if (!(tree instanceof Tree.Scalar scalar)
                || !(scalar.kind() == Tree.ScalarType.INTEGER || scalar.kind() == Tree.ScalarType.TEXT)) {
            found.accept(here.get().wrongType("a whole number or text", "write a number, or a name"));
        }
    }

    static void quantity(Tree tree, Supplier<Field> here, Consumer<MisreadException> found) {
        if (!(tree instanceof Tree.Scalar scalar) || scalar.kind() == Tree.ScalarType.FLAG) {
            found.accept(here.get().wrongType("an amount", "write it like 500m or 2Gi"));
        } else if (!QUANTITY.matcher(scalar.text()).matches()) {
            found.accept(here.get()
                    .wrong(
                            "manifest-bad-value",
                            "is \"" + scalar.text() + "\", which is no amount",
                            "write it like 500m or 2Gi"));
        }
    }

    /// Tells of a mistake in the words of the accessor that a reader would use.
    static void tell(Field field, Consumer<Field> accessor, Consumer<MisreadException> found) {
        try {
            accessor.accept(field);
        } catch (MisreadException e) {
            found.accept(e);
        }
    }
}
