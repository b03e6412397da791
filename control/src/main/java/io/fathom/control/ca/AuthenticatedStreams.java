// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.control.ca.CallerAuthenticator.Attempt;
import io.fathom.wire.auth.Admission;
import io.fathom.wire.auth.Credentials;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.fathom.wire.xds.stream.StreamGate;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;

/// Lets streams in whose clients are known, and, if wanted, only as proxies of their own namespace and account.
public final class AuthenticatedStreams implements StreamGate {
    private final CallerAuthenticator authenticator;
    private final IdentityCheck identityCheck;
    private final Optional<PeerGuests> guests;
    private final Optional<KeyMint> mint;
    private final AuditLog audit;

    /// Whether a client may say that it is somebody else's proxy.
    public enum IdentityCheck {
        ON,
        OFF
    }

    public AuthenticatedStreams(CallerAuthenticator authenticator, IdentityCheck identityCheck, InstantSource clock) {
        this(authenticator, identityCheck, Optional.empty(), clock);
    }

    /// Without guests: whom the authenticator knows is one of us.
    public AuthenticatedStreams(
            CallerAuthenticator authenticator,
            IdentityCheck identityCheck,
            Optional<KeyMint> mint,
            InstantSource clock) {
        this(authenticator, identityCheck, Optional.empty(), mint, clock);
    }

    /// @param guests what callers of other trust domains may do
    /// @param mint makes keys of clients that cannot make their own; only for clients whose identity is checked
    public AuthenticatedStreams(
            CallerAuthenticator authenticator,
            IdentityCheck identityCheck,
            Optional<PeerGuests> guests,
            Optional<KeyMint> mint,
            InstantSource clock) {
        this.guests = guests;
        this.authenticator = authenticator;
        this.identityCheck = identityCheck;
        this.mint = mint;
        this.audit = new AuditLog("stream", clock);
    }

    @Override
    public Admission<NodeCheck> admit(Credentials credentials) {
        return switch (authenticator.authenticate(credentials)) {
            case Attempt.Authenticated known -> new Admission.Admitted<>(check(known.caller(), credentials));
            case Attempt.Rejected rejected -> refused(rejected.problem(), credentials);
            case Attempt.NotPresented _ ->
                refused(Problem.ofInput("no-credentials", "neither a certificate nor a token", ""), credentials);
        };
    }

    private Admission<NodeCheck> refused(Problem problem, Credentials credentials) {
        audit.refused("anonymous", "a stream", problem.code(), problem.message(), credentials);
        return new Admission.Refused<>("authentication failure");
    }

    private NodeCheck check(Caller caller, Credentials credentials) {
        if (guests.isPresent() && guests.get().areGuests(caller.identities())) {
            return new GuestCheck(caller, guests.get());
        }
        if (identityCheck == IdentityCheck.OFF) {
            return NodeCheck.NONE;
        }
        return new NodeCheck() {
            @Override
            public Optional<String> refusal(ClientNode node) {
                var problem = StreamIdentityCheck.problem(caller, node.namespace(), account(node));
                problem.ifPresent(
                        it -> audit.refused(caller.describe(), node.id(), it.code(), it.message(), credentials));
                return problem.map(_ -> "the identity of the client is not that of the proxy it says it is");
            }

            @Override
            public Optional<AutoCloseable> mint(ClientNode node, Consumer<TlsIdentity> listener) {
                return StreamIdentityCheck.identity(caller, node.namespace(), account(node))
                        .filter(_ -> credentials.channel() != Credentials.Channel.PLAINTEXT)
                        .flatMap(identity -> mint.map(it -> it.follow(identity, listener)));
            }
        };
    }

    /// A control plane of another trust domain.
    private record GuestCheck(Caller caller, PeerGuests guests) implements NodeCheck {
        @Override
        public Optional<String> refusal(ClientNode node) {
            return StreamIdentityCheck.problem(caller, node.namespace(), account(node))
                    .map(_ -> "the identity of the client is not that of the control plane it says it is");
        }

        @Override
        public boolean mayHave(XdsType type) {
            return PeerGuests.mayHave(type);
        }

        @Override
        public boolean isStillAdmitted() {
            return caller.identities().stream().anyMatch(guests::includes);
        }
    }

    private static Optional<String> account(ClientNode node) {
        return Optional.ofNullable(node.metadata().get("SERVICE_ACCOUNT"));
    }
}
