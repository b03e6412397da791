// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeConfig.Token;
import io.fathom.wire.kube.api.KubeConfig.Trust;
import io.fathom.wire.kube.api.KubeSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TokenReviewClientTest {
    private final AtomicReference<String> asked = new AtomicReference<>("");
    private volatile int status = 201;
    private volatile String answer = "";
    private HttpServer server;
    private KubeClient client;

    @BeforeEach
    void serve() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/apis/authentication.k8s.io/v1/tokenreviews", exchange -> {
            asked.set(exchange.getRequestMethod() + " "
                    + exchange.getRequestHeaders().getFirst("authorization") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            var bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        var address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        var config =
                new KubeConfig(address, Optional.empty(), new Trust.Public(), new Token.Fixed("own"), Optional.empty());
        client = new KubeClient(config, KubeSettings.DEFAULT);
    }

    @AfterEach
    void stop() {
        server.stop(0);
        client.close();
    }

    private TokenReviewClient client() {
        return new TokenReviewClient(client);
    }

    @Test
    void whenAsked_thenTheAnswerIsRead() {
        answer = """
                {"kind":"TokenReview","status":{"authenticated":true,"audiences":["istio-ca"],
                 "user":{"username":"system:serviceaccount:istio-system:ztunnel",
                  "groups":["system:serviceaccounts","system:authenticated"],
                  "extra":{"authentication.kubernetes.io/pod-name":["ztunnel-a"]}}}}""";
        var review = client().review("tok\"en", List.of("istio-ca"));
        assertThat(asked.get())
                .startsWith("POST Bearer own ")
                .contains("\"tok\\\"en\"")
                .contains("[\"istio-ca\"]");
        assertThat(review.authenticated()).isTrue();
        assertThat(review.username()).isEqualTo("system:serviceaccount:istio-system:ztunnel");
        assertThat(review.groups()).contains("system:serviceaccounts");
        assertThat(review.audiences()).containsExactly("istio-ca");
        assertThat(review.extra(TokenReview.POD_NAME)).contains("ztunnel-a");
        assertThat(review.extra(TokenReview.POD_UID)).isEmpty();
    }

    @Test
    void givenATokenThatIsNotGood_thenTheErrorIsRead() {
        answer = "{\"status\":{\"user\":{},\"error\":\"token expired\"}}";
        var review = client().review("token", List.of());
        assertThat(review.authenticated()).isFalse();
        assertThat(review.error()).contains("token expired");
    }

    @Test
    void givenAServerThatRefusesOrTalksNonsense_thenThereIsAProblemWithoutTheToken() {
        status = 403;
        assertThatThrownBy(() -> client().review("the-token", List.of()))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("403")
                .hasMessageNotContaining("the-token");
        status = 201;
        answer = "<html>";
        assertThatThrownBy(() -> client().review("the-token", List.of())).isInstanceOf(ProblemException.class);
        server.stop(0);
        assertThatThrownBy(() -> client().review("the-token", List.of())).isInstanceOf(ProblemException.class);
    }
}
