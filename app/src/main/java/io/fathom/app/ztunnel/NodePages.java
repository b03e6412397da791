// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.work.Parts;
import io.fathom.node.telemetry.NodeMetrics;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The HTTP ports of the node proxy itself.
record NodePages(ZtunnelConfig config, Parts parts) {
    private static final Logger log = LoggerFactory.getLogger(NodePages.class);
    private static final String OPEN_METRICS = "application/openmetrics-text";
    private static final String OPEN_METRICS_1 = OPEN_METRICS + ";charset=utf-8;version=1.0.0";
    private static final String PLAIN = "text/plain; charset=utf-8";

    void readiness(Readiness readiness) {
        listen(anywhere(config.process().ports().readiness()), pages().probe("/healthz/ready", "Readiness", readiness));
    }

    void metrics(NodeMetrics metrics) {
        listen(anywhere(config.process().ports().metrics()), withMetrics(pages(), metrics));
    }

    private static Pages withMetrics(Pages pages, NodeMetrics metrics) {
        Page page = query -> new Page.Reply.Text(
                200, query.accept().contains(OPEN_METRICS) ? OPEN_METRICS_1 : PLAIN, metrics.openMetrics());
        return pages.open("/metrics", "Metrics", page).open("/stats/prometheus", "Metrics", page);
    }

    /// For the same machine only.
    void admin(MeshLink mesh, Pods pods, NodeMetrics metrics, Runnable quit) {
        var pages = withMetrics(pages().index("/"), metrics)
                .local(
                        "/config_dump",
                        "What the proxy knows and does; ?level=warn: only what is not in order",
                        new NodeDumpPage(mesh, pods::statuses, config, BuildInfo.current()))
                .action(
                        "/logging",
                        "POST ?level=LEVEL changes how much is logged",
                        new LogLevelPage(config.process().logging().level()))
                .action("/quitquitquit", "POST stops the proxy", _ -> {
                    quit.run();
                    return Page.Reply.text("shutdown now");
                })
                .debug("pprof/profile", "A recording of JDK Flight Recorder: ?seconds=10", new ProfilePage())
                .debug("pprof/heap", "What is in the heap: objects and bytes of each class", new HeapPage());
        listen(loopback("127.0.0.1"), pages);
        try {
            listen(loopback("::1"), pages);
        } catch (ProblemException e) {
            log.atDebug().addKeyValue("reason", e.problem()).log("no IPv6 loopback");
        }
    }

    private static Pages pages() {
        return new Pages("ztunnel");
    }

    private InetSocketAddress loopback(String address) {
        return new InetSocketAddress(
                InetAddress.ofLiteral(address), config.process().ports().admin());
    }

    private InetSocketAddress anywhere(int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(config.wildcard().toString()), port);
    }

    private void listen(InetSocketAddress address, Pages pages) {
        parts.keep(HttpEndpoint.listen(address, pages, "port-unavailable", "stop whatever uses the port"));
    }
}
