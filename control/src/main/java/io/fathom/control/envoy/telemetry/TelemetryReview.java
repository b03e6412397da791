package io.fathom.control.envoy.telemetry;

import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.Remark;
import io.fathom.wire.kube.MeshTelemetry;
import io.fathom.wire.kube.TelemetryManifest;
import io.fathom.wire.kube.TelemetryManifest.MetricOverride;
import io.fathom.wire.kube.TelemetryManifest.TagOverride;
import io.fathom.wire.kube.TelemetryProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/// What the author of a Telemetry should hear. Pure.
public final class TelemetryReview {
    private TelemetryReview() {}

    /// What of it has no effect on any proxy, and why.
    public static List<Problem> problems(TelemetryManifest telemetry, MeshTelemetry mesh) {
        var subject = "Telemetry " + telemetry.key().path() + " ";
        var problems = new ArrayList<Problem>();
        telemetry
                .accessLogging()
                .forEach(entry -> providers(
                        subject, "accessLogging", entry.providers(), mesh, TelemetryReview::takesLogs, problems));
        telemetry
                .tracing()
                .forEach(entry ->
                        providers(subject, "tracing", entry.providers(), mesh, TelemetryReview::takesSpans, problems));
        telemetry.metrics().forEach(entry -> {
            providers(
                    subject,
                    "metrics",
                    entry.providers(),
                    mesh,
                    TelemetryProvider.Prometheus.class::isInstance,
                    problems);
        });
        remarks(telemetry).forEach(remark -> problems.add(remark.about(subject.strip())));
        return problems;
    }

    /// What can be told from it alone.
    public static List<Remark> remarks(TelemetryManifest telemetry) {
        var remarks = new ArrayList<Remark>();
        for (var i = 0; i < telemetry.accessLogging().size(); i++) {
            var field = "spec.accessLogging[" + i + "].filter.expression";
            telemetry
                    .accessLogging()
                    .get(i)
                    .filter()
                    .flatMap(CelReview::mistake)
                    .ifPresent(mistake -> remarks.add(Remark.warning(
                            field,
                            "telemetry-bad-expression",
                            mistake + "; nothing is logged by this entry",
                            "correct the expression, such as response.code >= 400")));
        }
        for (var i = 0; i < telemetry.metrics().size(); i++) {
            var field = "spec.metrics[" + i + "]";
            telemetry.metrics().get(i).overrides().forEach(override -> override(field, override, remarks));
        }
        return remarks;
    }

    private static void providers(
            String subject,
            String part,
            List<String> names,
            MeshTelemetry mesh,
            Predicate<TelemetryProvider> fits,
            List<Problem> problems) {
        for (var name : names) {
            var provider = mesh.provider(name);
            if (provider.isEmpty()) {
                problems.add(Problem.ofInput(
                        "telemetry-no-provider",
                        subject + "names the provider " + name + " for " + part + ", which is not there",
                        "add it to extensionProviders of MeshConfig"));
            } else if (provider.get() instanceof TelemetryProvider.Unsupported(var _, var kind)) {
                problems.add(Problem.ofInput(
                        "telemetry-unsupported-provider",
                        subject + "names the provider " + name + " of kind " + kind + ", which stock Envoy cannot feed",
                        "use opentelemetry"));
            } else if (!fits.test(provider.get())) {
                problems.add(Problem.ofInput(
                        "telemetry-wrong-provider",
                        subject + "names the provider " + name + ", which takes nothing of " + part,
                        "name a provider for " + part));
            }
        }
    }

    private static boolean takesLogs(TelemetryProvider provider) {
        return switch (provider) {
            case TelemetryProvider.FileLog _,
                    TelemetryProvider.HttpLogService _,
                    TelemetryProvider.TcpLogService _,
                    TelemetryProvider.OtelLog _ -> true;
            default -> false;
        };
    }

    private static boolean takesSpans(TelemetryProvider provider) {
        return switch (provider) {
            case TelemetryProvider.OtelTrace _,
                    TelemetryProvider.Zipkin _,
                    TelemetryProvider.Datadog _,
                    TelemetryProvider.SkyWalking _ -> true;
            default -> false;
        };
    }

    private static void override(String field, MetricOverride override, List<Remark> remarks) {
        var known = override.metric().equals(MetricOverride.ALL)
                || Arrays.stream(Metric.values())
                        .anyMatch(metric -> metric.name().equals(override.metric()));
        if (!known && !override.disabled().orElse(false)) {
            remarks.add(Remark.warning(
                    field,
                    "telemetry-unknown-metric",
                    "is about the metric " + override.metric() + ", which proxies do not keep",
                    "leave it out"));
        }
        override.tags().forEach((name, tag) -> {
            if (tag instanceof TagOverride.Upsert(var expression)) {
                Expressions.mistake(expression)
                        .ifPresent(mistake -> remarks.add(Remark.warning(
                                field,
                                "telemetry-bad-expression",
                                "gives the label " + name + " an expression that " + mistake,
                                "use attributes of Envoy, such as request.host or xds.cluster_name")));
            }
        });
    }
}
