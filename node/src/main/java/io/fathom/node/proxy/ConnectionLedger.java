// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Authorizer;
import io.fathom.model.policy.PolicySet;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/// All open connections of one pod. Safe on any thread.
///
/// Whoever adds a connection looks at the policies after that: a change is then seen either by that look or by the
/// re-check that follows the change, so nothing slips through between.
public final class ConnectionLedger {
    private final Set<OpenConnection> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> emptied = new CompletableFuture<>();
    private final AtomicInteger arriving = new AtomicInteger();
    private volatile boolean draining;
    private volatile boolean closed;

    /// False if it is too late: the connection must not be.
    public boolean add(OpenConnection connection) {
        open.add(connection);
        if (closed && open.remove(connection)) {
            return false;
        }
        return true;
    }

    public void remove(OpenConnection connection) {
        open.remove(connection);
        look();
    }

    /// A client has been accepted. It is waited for like an open connection, until [#left].
    public void arrived() {
        arriving.incrementAndGet();
    }

    public void left() {
        arriving.decrementAndGet();
        look();
    }

    private void look() {
        if (draining && open.isEmpty() && arriving.get() == 0) {
            emptied.complete(null);
        }
    }

    public int size() {
        return open.size();
    }

    public List<OpenConnection.Shown> shown() {
        return open.stream().map(OpenConnection::shown).toList();
    }

    /// Cuts what the policies forbid now. Returns how many those are.
    public int recheck(PolicySet policies, Workload local) {
        var applicable = policies.applicable(local);
        var denied = 0;
        for (var connection : open) {
            var attempt = connection.attempt();
            if (attempt.isPresent()
                    && !Authorizer.decide(applicable, attempt.get()).isAllowed()) {
                denied++;
                connection.cut(CloseReason.POLICY_CHANGED);
            }
        }
        return denied;
    }

    /// Cuts what goes to or comes from a peer with a revoked certificate. Returns how many those are.
    public int cutRevoked(Predicate<List<X509Certificate>> revoked) {
        var found = 0;
        for (var connection : open) {
            var chain = connection.peer().chain();
            if (!chain.isEmpty() && revoked.test(chain)) {
                found++;
                connection.cut(CloseReason.CERTIFICATE_REVOKED);
            }
        }
        return found;
    }

    /// Completes once nothing is open or about to be. More may still come until [#close].
    public CompletableFuture<Void> drained() {
        draining = true;
        look();
        return emptied.copy();
    }

    /// Cuts everything and takes nothing more.
    public void close() {
        closed = true;
        open.forEach(connection -> connection.cut(CloseReason.DRAINED));
    }
}
