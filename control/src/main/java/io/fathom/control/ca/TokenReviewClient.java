package io.fathom.control.ca;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// Asks a Kubernetes API server to review tokens. Any number of threads; each call is one request.
public final class TokenReviewClient implements TokenReviewer {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long MAX_BYTES = 256 * 1024;
    private static final String PATH = "/apis/authentication.k8s.io/v1/tokenreviews";

    private final HttpClient http;
    private final URI reviews;
    private final Supplier<Optional<String>> bearerToken;

    /// A client of the API server at `server`.
    ///
    /// @param http knows what to trust and, if certificates speak for us, our own
    /// @param bearerToken our own token, asked for every call as it is renewed
    public TokenReviewClient(HttpClient http, URI server, Supplier<Optional<String>> bearerToken) {
        this.http = http;
        this.reviews = server.resolve(PATH);
        this.bearerToken = bearerToken;
    }

    @Override
    public TokenReview review(String token, List<String> audiences) {
        var request = HttpRequest.newBuilder(reviews)
                .timeout(PATIENCE)
                .header("content-type", "application/json")
                .header("accept", "application/json");
        bearerToken.get().ifPresent(own -> request.header("authorization", "Bearer " + own));
        try {
            var answer = http.send(
                    request.POST(HttpRequest.BodyPublishers.ofByteArray(body(token, audiences)))
                            .build(),
                    BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_BYTES));
            if (answer.statusCode() / 100 != 2) {
                throw problem("the API server answered with status " + answer.statusCode());
            }
            return read(JSON.readTree(answer.body()).path("status"));
        } catch (IOException e) {
            throw problem("the API server cannot be asked: " + e.getClass().getSimpleName());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw problem("interrupted while the API server was asked");
        }
    }

    private static byte[] body(String token, List<String> audiences) throws JsonProcessingException {
        return JSON.writeValueAsBytes(Map.of(
                "apiVersion",
                "authentication.k8s.io/v1",
                "kind",
                "TokenReview",
                "spec",
                Map.of("token", token, "audiences", audiences)));
    }

    private static TokenReview read(JsonNode status) {
        var user = status.path("user");
        var extra = new HashMap<String, List<String>>();
        user.path("extra").properties().forEach(entry -> extra.put(entry.getKey(), texts(entry.getValue())));
        return new TokenReview(
                status.path("authenticated").asBoolean(false),
                Optional.of(status.path("error").asText()).filter(error -> !error.isEmpty()),
                user.path("username").asText(),
                Set.copyOf(texts(user.path("groups")).stream().distinct().toList()),
                texts(status.path("audiences")),
                extra);
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(JsonNode::asText).toList();
    }

    private static ProblemException problem(String message) {
        return new ProblemException(new Problem(
                "token-review-failed",
                message,
                "check that the API server answers and that we may create tokenreviews",
                Origin.SERVER,
                Retry.SENSIBLE));
    }
}
