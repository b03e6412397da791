// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Has a valid token at hand: reads or fetches it, renews it before it ends, and gets another one when renewing is no
/// longer possible. One thread at a time.
final class VaultSession {
    private static final int MAX_FILE_BYTES = 64 * 1024;

    private final VaultServer server;
    private final VaultLogin login;
    private final VaultClient client;
    private final RenewalPlanner planner;
    private final RandomGenerator random;
    private Optional<Lease> lease = Optional.empty();

    VaultSession(
            VaultServer server, VaultLogin login, VaultClient client, RenewalPlanner planner, RandomGenerator random) {
        this.server = server;
        this.login = login;
        this.client = client;
        this.planner = planner;
        this.random = random;
    }

    /// The token for what comes next, renewed or replaced if that is due.
    ///
    /// @throws ProblemException if there is no token, or Vault does not accept it
    Secret token(Instant now) {
        var held = lease.filter(known -> !wasReplaced(known)).orElseGet(() -> begin(now));
        if (!now.isBefore(held.renewAt())) {
            held = renewed(held, now);
        }
        lease = Optional.of(held);
        return held.token();
    }

    /// After Vault refused the token although it should be good: the next call starts afresh.
    void forget() {
        lease = Optional.empty();
    }

    /// When [#token(Instant)] should be called again at the latest, to keep the token alive.
    Optional<Instant> due() {
        return lease.map(Lease::renewAt).filter(time -> time.isBefore(Instant.MAX));
    }

    /// Why the token is going to fail although it works now.
    Optional<Problem> outlook() {
        return lease.filter(held -> held.end() == Lease.LeaseEnd.NEAR)
                .map(held -> VaultProblems.tokenEnds(login, held.expiresAt().toString()));
    }

    private boolean wasReplaced(Lease held) {
        return login instanceof VaultLogin.TokenFile tokenFile
                && !held.token().equals(secret("vault-token-file", tokenFile.file()));
    }

    private Lease begin(Instant now) {
        return switch (login) {
            case VaultLogin.Token given -> lookedUp(given.token(), now);
            case VaultLogin.TokenFile tokenFile -> lookedUp(secret("vault-token-file", tokenFile.file()), now);
            case VaultLogin.Kubernetes kubernetes -> loggedIn(kubernetes, now);
        };
    }

    private Lease lookedUp(Secret token, Instant now) {
        var path = "auth/token/lookup-self";
        var answer = client.get(path, token);
        if (answer.status() == 403 && !answer.mentions("invalid token")) {
            return Lease.endless(token); // a good token without the default policy may not ask about itself
        }
        if (!answer.ok()) {
            throw new ProblemException(VaultProblems.token(server, path, login, answer));
        }
        return lease(token, answer, "data", "ttl", now);
    }

    private Lease loggedIn(VaultLogin.Kubernetes kubernetes, Instant now) {
        var path = "auth/" + kubernetes.mount() + "/login";
        var jwt = secret("vault-jwt-file", kubernetes.jwtFile());
        var answer = client.post(path, Map.of("role", kubernetes.role(), "jwt", jwt.reveal()));
        if (!answer.ok()) {
            throw new ProblemException(VaultProblems.login(server, kubernetes, answer));
        }
        var token = answer.body().path("auth").path("client_token").asText("");
        if (token.isBlank()) {
            throw new ProblemException(VaultProblems.badAnswer(server, path, "holds no token"));
        }
        return lease(new Secret(token), answer, "auth", "lease_duration", now);
    }

    private Lease renewed(Lease held, Instant now) {
        if (held.end() != Lease.LeaseEnd.OPEN) {
            return login instanceof VaultLogin.Kubernetes || !now.isBefore(held.expiresAt())
                    ? begin(now)
                    : held.ending(now.plus(planner.policy().checkEvery())); // until somebody gives another one
        }
        var path = "auth/token/renew-self";
        var answer = client.post(path, held.token(), Map.of());
        if (answer.ok()) {
            var left = answer.seconds("auth", "lease_duration");
            return held.prolonged(left, renewal(now, left), now.plus(left));
        }
        if (answer.status() >= 400 && answer.status() < 500) {
            forget();
            if (login instanceof VaultLogin.Kubernetes kubernetes) {
                return loggedIn(kubernetes, now);
            }
        }
        throw new ProblemException(VaultProblems.token(server, path, login, answer));
    }

    private Lease lease(Secret token, VaultAnswer answer, String object, String field, Instant now) {
        var left = answer.seconds(object, field);
        if (left.isZero()) {
            return Lease.endless(token);
        }
        var renewable = answer.body().path(object).path("renewable").asBoolean(false);
        return new Lease(
                token,
                left,
                left,
                renewal(now, left),
                now.plus(left),
                renewable ? Lease.LeaseEnd.OPEN : Lease.LeaseEnd.FINAL);
    }

    private Instant renewal(Instant now, Duration left) {
        return planner.renewal(now, now.plus(left), random.nextDouble());
    }

    private static Secret secret(String code, Path file) {
        try {
            if (Files.size(file) <= MAX_FILE_BYTES) {
                return new Secret(Files.readString(file).strip());
            }
        } catch (IOException | IllegalArgumentException e) {
            // told below, without the contents
        }
        throw new ProblemException(Problem.ofInput(
                code,
                "there is no readable token in the file " + file,
                "check the path and the rights of the file, and that it holds nothing but the token"));
    }
}
