// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.Remark;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.meshconfig.MeshTelemetry;
import io.fathom.wire.kube.meshconfig.TelemetryProvider;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest.MetricOverride;
import io.fathom.wire.kube.telemetry.TelemetryManifest.TagOverride;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// What the author of a Telemetry should hear. Pure.
public final class TelemetryReview {
    private static final String BAD_EXPRESSION = "telemetry-bad-expression";

    private TelemetryReview() {}

    /// What of it has no effect on any proxy, and why.
    public static List<ObjectProblem> problems(TelemetryManifest telemetry, MeshTelemetry mesh) {
        var object = ManifestId.of(telemetry);
        var problems = new ArrayList<ObjectProblem>();
        for (var i = 0; i < telemetry.accessLogging().size(); i++) {
            var names = telemetry.accessLogging().get(i).providers();
            providers(object, "accessLogging", i, names, mesh, TelemetryReview::takesLogs, problems);
        }
        for (var i = 0; i < telemetry.tracing().size(); i++) {
            var names = telemetry.tracing().get(i).providers();
            providers(object, "tracing", i, names, mesh, TelemetryReview::takesSpans, problems);
        }
        for (var i = 0; i < telemetry.metrics().size(); i++) {
            var names = telemetry.metrics().get(i).providers();
            providers(object, "metrics", i, names, mesh, TelemetryProvider.Prometheus.class::isInstance, problems);
        }
        remarks(telemetry).forEach(remark -> {
            var problem = remark.about(object);
            // The webhook lets it pass as upstream's does, but nothing comes of it.
            problems.add(
                    problem.problem().code().equals(BAD_EXPRESSION)
                            ? ObjectProblem.error(object, problem.field(), problem.problem())
                            : problem);
        });
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
                            BAD_EXPRESSION,
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
            ManifestId object,
            String part,
            int entry,
            List<String> names,
            MeshTelemetry mesh,
            Predicate<TelemetryProvider> fits,
            List<ObjectProblem> problems) {
        for (var i = 0; i < names.size(); i++) {
            var field = "spec." + part + "[" + entry + "].providers[" + i + "].name";
            provider(object + " names the provider " + names.get(i), part, mesh.provider(names.get(i)), fits)
                    .ifPresent(problem -> problems.add(ObjectProblem.error(object, field, problem)));
        }
    }

    private static Optional<Problem> provider(
            String subject, String part, Optional<TelemetryProvider> provider, Predicate<TelemetryProvider> fits) {
        if (provider.isEmpty()) {
            return Optional.of(Problem.ofInput(
                    "telemetry-no-provider",
                    subject + " for " + part + ", which is not there",
                    "add it to extensionProviders of MeshConfig"));
        }
        if (provider.get() instanceof TelemetryProvider.Unsupported(var _, var kind)) {
            return Optional.of(Problem.ofInput(
                    "telemetry-unsupported-provider",
                    subject + " of kind " + kind + ", which stock Envoy cannot feed",
                    "use opentelemetry"));
        }
        return fits.test(provider.get())
                ? Optional.empty()
                : Optional.of(Problem.ofInput(
                        "telemetry-wrong-provider",
                        subject + ", which takes nothing of " + part,
                        "name a provider for " + part));
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
                                BAD_EXPRESSION,
                                "gives the label " + name + " an expression that " + mistake,
                                "use attributes of Envoy, such as request.host or xds.cluster_name")));
            }
        });
    }
}
