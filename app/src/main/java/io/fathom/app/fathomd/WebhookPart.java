// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.fathomd.http.AdmissionMetrics;
import io.fathom.app.fathomd.webhook.WebhookEndpoint;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.work.Parts;
import io.fathom.control.webhook.Validation;
import io.fathom.control.webhook.WebhookConfigurations;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/// Answers the API server's questions about objects, and keeps the configuration that makes it ask. The port serves
/// from the beginning, so that we are not ready without it.
final class WebhookPart implements ClusterPart {
    private final ClusterLink link;
    private final Parts parts = new Parts();
    private final List<WebhookEndpoint> endpoints = new ArrayList<>();

    /// @throws ProblemException when the port cannot be had
    WebhookPart(ClusterLink link) {
        this.link = link;
        var validation = new Validation(link.config().ambient());
        var metrics = new AdmissionMetrics(link.metrics());
        try {
            for (var ip : link.config().listening().addresses()) {
                var address = new InetSocketAddress(
                        InetAddress.ofLiteral(ip.toString()),
                        link.config().replica().webhookPort());
                endpoints.add(
                        parts.keep(WebhookEndpoint.start(address, link.identity()::serving, validation, metrics)));
            }
        } catch (IOException e) {
            parts.close();
            throw new ProblemException(new Problem(
                    "webhook-port-unavailable",
                    "cannot listen on port " + link.config().replica().webhookPort() + ": " + e.getMessage(),
                    "stop whatever uses the port, or choose another one with --webhook-port; 0 takes any free one",
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
    }

    int port() {
        return endpoints.getFirst().port();
    }

    @Override
    public void start() {
        var authority = link.identity().signer();
        var configurations = parts.keep(WebhookConfigurations.start(
                link.client(), link.config().systemNamespace(), link.config().revision(), () -> {
                    var roots = authority.roots();
                    return roots.isEmpty() ? "" : Pem.encode(roots);
                }));
        parts.keep(authority.subscribe(configurations::lookAgain));
    }

    @Override
    public void close() {
        parts.close();
    }
}
