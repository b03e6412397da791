// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.control.envoy.StockEnvoy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What we say of an expression, and what a stock Envoy says.
class CelReviewTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "response.code >= 400; -",
                "has(request.headers) && request.path.startsWith('/a'); -",
                "request.headers['a'].matches('^[a-z]+$') ? size(request.path) > 3 : true; -",
                "[1, 2].exists(i, i == response.code); goes through the elements",
                "duration('1s') < request.duration; -",
                "timestamp('2026-01-01T00:00:00Z').getHours() > 3 && int('3') in [3]; -",
                "no_such.attribute == 1; -",
                "1 + 'a' == 2; -",
                "response.code >=; is no CEL expression",
                "true ? 1; is no CEL expression",
                "foo(request.path); calls foo",
                "[request.path.lowerAscii()] == []; calls lowerAscii",
                "[1, my_own(2)] == []; calls my_own",
                "request.path.matches('['); has a broken pattern",
            })
    void whenAnExpressionIsReviewed_thenEnvoyAgrees(String expression, String mistake) throws Exception {
        if (mistake == null) {
            assertThat(CelReview.mistake(expression)).isEmpty();
        } else {
            assertThat(CelReview.mistake(expression)).get().asString().startsWith(mistake);
        }
        assertThat(isTaken(expression)).isEqualTo(mistake == null);
    }

    private boolean isTaken(String expression) throws IOException, InterruptedException {
        var config = Files.writeString(folder.resolve("envoy.yaml"), """
            static_resources:
              listeners:
              - name: any
                address: {socket_address: {address: 127.0.0.1, port_value: 0}}
                access_log:
                - name: log
                  filter:
                    extension_filter:
                      name: cel
                      typed_config:
                        "@type": type.googleapis.com/envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter
                        expression: '%s'
                  typed_config: {"@type": type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog}
                filter_chains:
                - filters:
                  - name: echo
                    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.echo.v3.Echo}
            """.formatted(expression.replace("'", "''")));
        var log = folder.resolve("envoy.log");
        var process = new ProcessBuilder(StockEnvoy.program().toString(), "--mode", "validate", "-c", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        var taken = process.waitFor() == 0;
        assertThat(Files.readString(log)).contains(taken ? "OK" : "expression");
        return taken;
    }
}
