// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cahelper;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.http.MetricsText;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.work.Parts;
import io.fathom.control.ca.RootStore;
import io.fathom.control.ca.helper.CaHelper;
import io.fathom.control.ca.helper.CacertsFolder;
import io.fathom.control.ca.helper.HelperConfig;
import io.fathom.control.ca.kube.SecretRootStore;
import io.fathom.control.ca.kube.SecretRootStore.RootSecret;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeSettings;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;

/// One running helper and its HTTP port.
final class RunningHelper implements AutoCloseable {
    private final Parts parts = new Parts();
    private final CaHelper helper;
    private final HttpEndpoint http;

    /// Throws a [io.fathom.base.lang.ProblemException] when the port cannot be had.
    static RunningHelper start(CaHelperConfig config) {
        return new RunningHelper(config);
    }

    private RunningHelper(CaHelperConfig config) {
        try {
            var timeline = parts.keep(new SystemTimeline());
            this.helper = parts.keep(CaHelper.start(
                    new HelperConfig(config.vault(), store(config), place(config), config.foreign()),
                    timeline,
                    new SecureRandom()));
            this.http = parts.keep(listen(config));
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    int httpPort() {
        return http.port();
    }

    @Override
    public void close() {
        parts.close();
    }

    private RootStore store(CaHelperConfig config) {
        return config.folder().<RootStore>map(CacertsFolder::new).orElseGet(() -> {
            var client = parts.keep(new KubeClient(config.kube().orElseThrow(), KubeSettings.DEFAULT));
            return new SecretRootStore(client, config.namespace(), RootSecret.PLUGGED_CACERTS);
        });
    }

    private static String place(CaHelperConfig config) {
        return config.folder()
                .map(folder -> "folder " + folder)
                .orElse("Secret " + config.namespace() + "/" + RootSecret.PLUGGED_CACERTS.secret());
    }

    private HttpEndpoint listen(CaHelperConfig config) {
        var build = BuildInfo.current();
        var metrics = metrics();
        var pages = new Pages("fathomd ca-helper")
                .probe("/ready", "200 if the stored intermediate can be relied on", _ -> ready())
                .open("/version", "Which build this is", _ -> Page.Reply.text(build.text()))
                .open(
                        "/metrics",
                        "Metrics for Prometheus",
                        _ -> new Page.Reply.Text(200, MetricsText.CONTENT_TYPE, MetricsText.of(metrics.scrape())));
        var address = new InetSocketAddress(
                InetAddress.ofLiteral(config.listenAddress().toString()), config.httpPort());
        return HttpEndpoint.listen(
                address,
                pages,
                "http-port-unavailable",
                "stop whatever uses the port, or choose another one with --http-port; 0 takes any free one");
    }

    private PrometheusRegistry metrics() {
        var registry = new PrometheusRegistry();
        for (var name : helper.status().metrics().keySet()) {
            GaugeWithCallback.builder()
                    .name(name)
                    .help("See docs/ca-vault.md.")
                    .callback(
                            callback -> callback.call(helper.status().metrics().getOrDefault(name, 0.0)))
                    .register(registry);
        }
        return registry;
    }

    private Page.Reply ready() {
        return helper.status()
                .unready()
                .map(problem -> Page.Reply.text(503, "not ready: " + problem))
                .orElseGet(() -> Page.Reply.text("ready"));
    }
}
