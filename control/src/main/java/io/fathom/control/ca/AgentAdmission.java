// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.control.ca.CallerAuthenticator.Attempt;
import io.fathom.model.mesh.Identity;
import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import java.net.InetAddress;
import java.time.InstantSource;

/// Lets one account in, and nobody else: the agent of a fleet in our cluster. Without Kubernetes there are no accounts:
/// there whoever runs on this machine is let in without TLS. Any thread; may block.
public final class AgentAdmission {
    private final CallerAuthenticator authenticator;
    private final String namespace;
    private final String account;
    private final Loopback loopback;
    private final AuditLog audit;

    /// What a caller without TLS on this machine may do.
    public enum Loopback {
        ADMITTED,
        REFUSED
    }

    public AgentAdmission(
            CallerAuthenticator authenticator,
            String namespace,
            String account,
            Loopback loopback,
            InstantSource clock) {
        this.authenticator = authenticator;
        this.namespace = namespace;
        this.account = account;
        this.loopback = loopback;
        this.audit = new AuditLog("feed", clock);
    }

    /// Who it is, if it may.
    public Admission<String> admit(Credentials credentials) {
        if (credentials.channel() == Credentials.Channel.PLAINTEXT) {
            return loopback == Loopback.ADMITTED
                            && credentials
                                    .peer()
                                    .filter(InetAddress::isLoopbackAddress)
                                    .isPresent()
                    ? new Admission.Admitted<>("this machine")
                    : refused("anonymous", "plaintext", "it came without TLS, and not from this machine", credentials);
        }
        return switch (authenticator.authenticate(credentials)) {
            case Attempt.Authenticated(var caller) ->
                caller.identities().stream().anyMatch(this::isAgent)
                        ? new Admission.Admitted<>(caller.describe())
                        : refused(caller.describe(), "not-the-agent", "it is not " + wanted(), credentials);
            case Attempt.Rejected(Problem problem) ->
                refused("anonymous", problem.code(), problem.message(), credentials);
            case Attempt.NotPresented() ->
                refused("anonymous", "no-credentials", "neither a certificate nor a token", credentials);
        };
    }

    private boolean isAgent(Identity identity) {
        return identity.namespace().equals(namespace)
                && identity.serviceAccount().equals(account);
    }

    private String wanted() {
        return "account " + namespace + "/" + account;
    }

    private Admission<String> refused(String who, String code, String why, Credentials credentials) {
        audit.refused(who, "to speak for other clusters", code, why, credentials);
        return new Admission.Refused<>(code + ": only " + wanted() + " may speak for other clusters here");
    }
}
