// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.webhook;

import io.fathom.app.http.HttpEndpoint;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.control.webhook.AdmissionObserver;
import io.fathom.control.webhook.AdmissionReview;
import io.fathom.control.webhook.Validation;
import io.fathom.control.webhook.Verdict;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.ReloadingJdkTls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The webhook port: `/validate` and `/validate/...` judge objects, `/inject` and `/inject/...` let pods pass as they
/// are, since there are no sidecars here, `/ready` answers 200. A virtual thread per connection.
public final class WebhookEndpoint implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WebhookEndpoint.class);
    private static final int LONGEST_BODY = 4 * 1024 * 1024; // two objects of the size that etcd takes, and then some

    private final HttpEndpoint server;

    private WebhookEndpoint(HttpEndpoint server) {
        this.server = server;
    }

    /// Listens at once.
    ///
    /// @param identity that the server shows, asked for at each handshake
    public static WebhookEndpoint start(
            InetSocketAddress address,
            Supplier<TlsIdentity> identity,
            Validation validation,
            AdmissionObserver observer)
            throws IOException {
        var pages = new Pages("fathomd's webhooks")
                .inbox("/validate", "Judges objects", LONGEST_BODY, asked -> review(asked, validation::judge, observer))
                .inbox("/inject", "Lets pods pass", LONGEST_BODY, asked -> review(asked, Verdict::unjudged, observer))
                .probe("/ready", "Answers 200", _ -> Page.Reply.text("ready"));
        return new WebhookEndpoint(HttpEndpoint.startTls(address, pages, ReloadingJdkTls.context(identity)));
    }

    public int port() {
        return server.port();
    }

    private static Page.Reply review(Page.Query asked, Function<Tree, Verdict> judge, AdmissionObserver observer) {
        try {
            var review = AdmissionReview.parse(asked.body());
            var verdict = review.hasObject() ? judge.apply(review.object()) : Verdict.unjudged(review.object());
            if (verdict.isAllowed()) {
                observer.passed(review);
            } else {
                observer.refused(review);
                log.atInfo()
                        .addKeyValue("why", verdict.message().replaceAll("\\s+", " "))
                        .log("an object was refused");
            }
            return new Page.Reply.Text(200, "application/json", review.answer(verdict));
        } catch (MisreadException e) {
            return misunderstood(observer, 400, "this is no AdmissionReview: " + e.getMessage());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("a review failed");
            return misunderstood(observer, 500, "the review failed: see the program's log");
        }
    }

    private static Page.Reply misunderstood(AdmissionObserver observer, int status, String message) {
        observer.misunderstood(status);
        return Page.Reply.text(status, message);
    }

    @Override
    public void close() {
        server.close();
    }
}
