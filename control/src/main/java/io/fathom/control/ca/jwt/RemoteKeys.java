// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.work.RefreshedValue;
import java.io.IOException;
import java.net.http.HttpClient.Redirect;
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

    private final KeySetDocuments documents = new KeySetDocuments(Redirect.NEVER, Optional.empty());
    private final JwtRule rule;
    private final InstantSource clock;
    private final RefreshedValue<List<JsonWebKey>> keys = new RefreshedValue<>(() -> JsonWebKey.parseSet(document()));

    public RemoteKeys(JwtRule rule, InstantSource clock) {
        this.rule = rule;
        this.clock = clock;
    }

    @Override
    public List<JsonWebKey> find(Optional<String> id) {
        var known = keys.state();
        var found = matching(known, id);
        var now = clock.instant();
        return !found.isEmpty() && now.isBefore(known.loaded().plus(OLD)) ? found : refreshed(id, now);
    }

    private List<JsonWebKey> refreshed(Optional<String> id, Instant now) {
        try {
            var known = keys.load(now, PAUSE);
            if (known.value().isEmpty()) {
                throw new ProblemException(new Problem(
                        "jwks-unreachable",
                        "the keys of issuer " + rule.issuer() + " cannot be fetched",
                        "check jwks_uri in JWT_RULE and that the issuer answers",
                        Origin.SERVER,
                        Retry.SENSIBLE));
            }
            return matching(known, id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return matching(keys.state(), id);
        }
    }

    private static List<JsonWebKey> matching(RefreshedValue.State<List<JsonWebKey>> known, Optional<String> id) {
        return IssuerKeys.matching(known.value().orElse(List.of()), id);
    }

    private String document() throws IOException, InterruptedException {
        var address = rule.keysAt();
        if (address.isEmpty()) {
            var found = documents.keySetAddress(KeySetDocuments.discovery(rule.issuer()), PATIENCE);
            return documents.read(found, PATIENCE);
        }
        return "file".equals(address.get().getScheme())
                ? Files.readString(Path.of(address.get()))
                : documents.read(address.get().toString(), PATIENCE);
    }

    @Override
    public void close() {
        documents.close();
    }
}
