// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.CelValidationException;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind;
import dev.cel.parser.CelParser;
import dev.cel.parser.CelParserFactory;
import dev.cel.parser.CelStandardMacro;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Whether a stock Envoy takes a CEL expression. It refuses a whole listener for one that it cannot parse, that calls a
/// function which it does not have, that has a broken pattern or a loop; attributes that do not exist it takes. Pure.
final class CelReview {
    private static final CelParser PARSER = CelParserFactory.standardCelParserBuilder()
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .build();
    private static final String MATCHES = "matches";
    /// Those of the language's standard library. Names of operators begin with other characters than letters.
    private static final Set<String> FUNCTIONS = Set.of(
            "bool",
            "bytes",
            "contains",
            "double",
            "duration",
            "dyn",
            "endsWith",
            "getDate",
            "getDayOfMonth",
            "getDayOfWeek",
            "getDayOfYear",
            "getFullYear",
            "getHours",
            "getMilliseconds",
            "getMinutes",
            "getMonth",
            "getSeconds",
            "in",
            "int",
            MATCHES,
            "size",
            "startsWith",
            "string",
            "timestamp",
            "type",
            "uint");

    private CelReview() {}

    /// What is wrong with it, if anything is.
    static Optional<String> mistake(String expression) {
        try {
            return mistakes(PARSER.parse(expression).getAst().getExpr()).findFirst();
        } catch (CelValidationException e) {
            return Optional.of(
                    "is no CEL expression: " + e.getErrors().getFirst().getMessage());
        }
    }

    private static Stream<String> mistakes(CelExpr expression) {
        return Stream.concat(own(expression).stream(), children(expression).flatMap(CelReview::mistakes));
    }

    private static Optional<String> own(CelExpr expression) {
        if (expression.getKind() == ExprKind.Kind.COMPREHENSION) {
            return Optional.of("goes through the elements of a list or map, which Envoys do not do");
        }
        if (expression.getKind() != ExprKind.Kind.CALL) {
            return Optional.empty();
        }
        var call = expression.callOrDefault();
        var name = call.function();
        if (Character.isLetter(name.charAt(0)) && !FUNCTIONS.contains(name)) {
            return Optional.of("calls " + name + ", which stock Envoy does not have");
        }
        return name.equals(MATCHES) && !call.args().isEmpty()
                ? pattern(call.args().getLast())
                : Optional.empty();
    }

    private static Optional<String> pattern(CelExpr argument) {
        if (argument.getKind() != ExprKind.Kind.CONSTANT
                || argument.constant().getKind() != CelConstant.Kind.STRING_VALUE) {
            return Optional.empty();
        }
        try {
            var _ = Pattern.compile(argument.constant().stringValue());
            return Optional.empty();
        } catch (PatternSyntaxException e) {
            return Optional.of("has a broken pattern: " + e.getMessage());
        }
    }

    private static Stream<CelExpr> children(CelExpr expression) {
        return switch (expression.getKind()) {
            case CALL -> {
                var call = expression.callOrDefault();
                yield Stream.concat(call.target().stream(), call.args().stream());
            }
            case SELECT -> Stream.of(expression.selectOrDefault().operand());
            case LIST -> expression.listOrDefault().elements().stream();
            case MAP ->
                expression.mapOrDefault().entries().stream().flatMap(entry -> Stream.of(entry.key(), entry.value()));
            case STRUCT -> expression.structOrDefault().entries().stream().map(CelExpr.CelStruct.Entry::value);
            case COMPREHENSION, CONSTANT, IDENT, NOT_SET -> Stream.empty();
        };
    }
}
