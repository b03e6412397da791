// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.app.http.Page;
import io.fathom.wire.ca.RenewedCertificate;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;

/// The companion's own metrics, by upstream's names as far as it has them.
record OwnMetrics(RenewedCertificate certificate, InstantSource clock, String version) implements Page.Body {
    @Override
    public void write(OutputStream out) throws IOException {
        var counts = certificate.counts();
        var text = new StringBuilder();
        gauge(text, "istio_agent_build{component=\"fathom-proxy\",tag=\"" + version + "\"}", 1);
        counter(text, "istio_agent_num_outgoing_requests{request_type=\"CSR\"}", counts.succeeded() + counts.failed());
        counter(text, "istio_agent_num_failed_outgoing_requests{request_type=\"CSR\"}", counts.failed());
        certificate.current().ifPresent(current -> {
            var left = Duration.between(clock.instant(), current.notAfter());
            gauge(text, "istio_agent_cert_expiry_seconds{resource_name=\"default\"}", left.toSeconds());
        });
        var runtime = Runtime.getRuntime();
        gauge(text, "istio_agent_heap_used_bytes", runtime.totalMemory() - runtime.freeMemory());
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void gauge(StringBuilder text, String name, long value) {
        line(text, "gauge", name, value);
    }

    private static void counter(StringBuilder text, String name, long value) {
        line(text, "counter", name, value);
    }

    private static void line(StringBuilder text, String type, String name, long value) {
        var brace = name.indexOf('{');
        var family = brace < 0 ? name : name.substring(0, brace);
        text.append("# TYPE ").append(family).append(' ').append(type).append('\n');
        text.append(name).append(' ').append(value).append('\n');
    }
}
