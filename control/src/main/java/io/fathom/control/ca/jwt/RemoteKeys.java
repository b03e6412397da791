// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// The keys of an issuer, fetched from an address (`http`, `https` or `file`) and kept. They are fetched again when
/// they are old, or when a token names a key that is not among them, but not more than once in ten seconds: made-up key
/// names cost the issuer nothing. If the issuer does not answer, the keys we have go on being used. One fetch at a
/// time; its callers wait.
public final class RemoteKeys implements IssuerKeys, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration OLD = Duration.ofMinutes(20);
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final long MAX_BYTES = 1024 * 1024;

    private final HttpClient http;
    private final JwtRule rule;
    private final InstantSource clock;
    private volatile Fetched fetched = new Fetched(List.of(), Instant.MIN, Instant.MIN);

    private record Fetched(List<JsonWebKey> keys, Instant at, Instant tried) {}

    public RemoteKeys(JwtRule rule, InstantSource clock) {
        this.rule = rule;
        this.clock = clock;
        this.http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    }

    @Override
    public List<JsonWebKey> find(Optional<String> id) {
        var known = fetched;
        var found = IssuerKeys.matching(known.keys(), id);
        var now = clock.instant();
        return !found.isEmpty() && now.isBefore(known.at().plus(OLD)) ? found : refreshed(id);
    }

    private synchronized List<JsonWebKey> refreshed(Optional<String> id) {
        var known = fetched;
        var now = clock.instant();
        if (known.tried().equals(Instant.MIN) || !now.isBefore(known.tried().plus(PAUSE))) {
            fetched = new Fetched(known.keys(), known.at(), now);
            try {
                fetched = new Fetched(JsonWebKey.parseSet(document()), now, now);
            } catch (IOException | ProblemException e) {
                if (known.keys().isEmpty()) {
                    throw new ProblemException(new Problem(
                            "jwks-unreachable",
                            "the keys of issuer " + rule.issuer() + " cannot be fetched",
                            "check jwks_uri in JWT_RULE and that the issuer answers",
                            Origin.SERVER,
                            Retry.SENSIBLE));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return IssuerKeys.matching(fetched.keys(), id);
    }

    private String document() throws IOException, InterruptedException {
        if (rule.keysAt().isPresent()) {
            return read(rule.keysAt().get());
        }
        var discovery = read(URI.create(rule.issuer().replaceAll("/$", "") + "/.well-known/openid-configuration"));
        var address = Json.parse(discovery.getBytes(StandardCharsets.UTF_8))
                .flatMap(document -> Json.text(document, "jwks_uri"))
                .orElseThrow(() -> new IOException("the discovery document names no key set"));
        return read(URI.create(address));
    }

    private String read(URI address) throws IOException, InterruptedException {
        if ("file".equals(address.getScheme())) {
            return Files.readString(Path.of(address));
        }
        var request = HttpRequest.newBuilder(address).timeout(PATIENCE).build();
        var answer = http.send(request, BodyHandlers.limiting(BodyHandlers.ofString(), MAX_BYTES));
        if (answer.statusCode() != 200) {
            throw new IOException("status " + answer.statusCode());
        }
        return answer.body();
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
