package io.fathom.app.fathomd.webhook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
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
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The webhook port: `/validate` and `/validate/...` judge objects, `/inject` and `/inject/...` let pods pass as they
/// are, since there are no sidecars here, `/ready` answers 200. A virtual thread per request.
public final class WebhookEndpoint implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WebhookEndpoint.class);
    private static final int BACKLOG = 128;
    private static final int LONGEST_BODY = 4 * 1024 * 1024; // two objects of the size that etcd takes, and then some
    private static final int LAST_ANSWERS_SECONDS = 2;

    static {
        // A client that stalls must not keep its connection for ever. The server reads these once, when it is loaded.
        System.setProperty("sun.net.httpserver.maxReqTime", "30");
        System.setProperty("sun.net.httpserver.maxRspTime", "60");
        System.setProperty("jdk.httpserver.maxConnections", "256");
    }

    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AdmissionObserver observer;

    private WebhookEndpoint(HttpsServer server, AdmissionObserver observer) {
        this.server = server;
        this.observer = observer;
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
        var server = HttpsServer.create(address, BACKLOG);
        var endpoint = new WebhookEndpoint(server, observer);
        server.setHttpsConfigurator(new HttpsConfigurator(ReloadingJdkTls.context(identity)) {
            @Override
            public void configure(HttpsParameters parameters) {
                var tls = getSSLContext().getDefaultSSLParameters();
                tls.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
                parameters.setSSLParameters(tls);
            }
        });
        server.setExecutor(endpoint.threads);
        server.createContext("/validate", exchange -> endpoint.review(exchange, validation::judge));
        server.createContext("/inject", exchange -> endpoint.review(exchange, Verdict::unjudged));
        server.createContext("/ready", exchange -> reply(exchange, 200, "text/plain", "ready\n"));
        server.start();
        return endpoint;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void review(HttpExchange exchange, Function<Tree, Verdict> judge) throws IOException {
        try {
            if (!exchange.getRequestMethod().equals("POST")) {
                misunderstood(exchange, 405, "send an AdmissionReview by POST");
                return;
            }
            var body = exchange.getRequestBody().readNBytes(LONGEST_BODY + 1);
            if (body.length > LONGEST_BODY) {
                misunderstood(exchange, 413, "the review is too long");
                return;
            }
            var review = AdmissionReview.parse(new String(body, StandardCharsets.UTF_8));
            var verdict = review.hasObject() ? judge.apply(review.object()) : Verdict.unjudged(review.object());
            if (verdict.isAllowed()) {
                observer.passed(review);
            } else {
                observer.refused(review);
                log.atInfo()
                        .addKeyValue("why", verdict.message().replaceAll("\\s+", " "))
                        .log("an object was refused");
            }
            reply(exchange, 200, "application/json", review.answer(verdict));
        } catch (MisreadException e) {
            misunderstood(exchange, 400, "this is no AdmissionReview: " + e.getMessage());
        } catch (RuntimeException e) {
            log.atError().setCause(e).log("a review failed");
            misunderstood(exchange, 500, "the review failed: see the program's log");
        }
    }

    private void misunderstood(HttpExchange exchange, int status, String message) throws IOException {
        observer.misunderstood(status);
        reply(exchange, status, "text/plain", message + "\n");
    }

    private static void reply(HttpExchange exchange, int status, String type, String text) throws IOException {
        try (exchange) {
            var body = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /// Lets the answers under way finish.
    @Override
    public void close() {
        server.stop(LAST_ANSWERS_SECONDS);
        threads.shutdownNow();
    }
}
