// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.app.http.Page;
import io.fathom.wire.http.HttpAnswer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// Envoy's metrics as Prometheus reads them, under the names that dashboards know: what its access logger counts is
/// called `envoy_istio_…` there, and `istio_…` in a mesh. Passed on line by line, however many there are.
final class EnvoyMetrics {
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final String PREFIX = "envoy_istio_";
    private static final String RIGHT = "istio_";
    private static final Pattern UNTOLD = Pattern.compile("(\\bdestination_[a-z_]+=)\"-?\"");
    private static final String COMMENT = "# TYPE ";

    private final EnvoyAdmin admin;

    EnvoyMetrics(EnvoyAdmin admin) {
        this.admin = admin;
    }

    /// Envoy's own, then what `more` writes.
    Page page(Page.Body more) {
        return _ -> new Page.Reply.Stream(CONTENT_TYPE, out -> {
            try {
                var _ = admin.get("/stats/prometheus", answer -> copy(answer, out));
            } catch (IOException e) {
                out.write(("# Envoy's metrics are missing: " + e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
            }
            more.write(out);
        });
    }

    private static long copy(HttpAnswer answer, OutputStream out) throws IOException {
        var lines = 0L;
        var reader = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
        for (var line = reader.readLine(); line != null; line = reader.readLine()) {
            out.write(renamed(line).getBytes(StandardCharsets.UTF_8));
            out.write('\n');
            lines++;
        }
        return lines;
    }

    /// Names, and what is not known of a destination; whatever else stands in labels stays.
    static String renamed(String line) {
        if (line.startsWith(PREFIX)) {
            return RIGHT + UNTOLD.matcher(line.substring(PREFIX.length())).replaceAll("$1\"unknown\"");
        }
        return line.startsWith(COMMENT + PREFIX) ? COMMENT + RIGHT + line.substring((COMMENT + PREFIX).length()) : line;
    }
}
