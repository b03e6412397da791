// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

/// The objects in the system namespace that control planes compete for. Names and kinds are upstream's, so that both
/// can run in one cluster while one takes over from the other.
public enum ElectionLock {
    /// Ingress; older control planes know no other lock.
    INGRESS("istio-leader", LockObject.CONFIG_MAP, Sharing.ALL_REVISIONS),
    /// Who gives addresses to ServiceEntries.
    ADDRESSES("istio-ip-autoallocate", LockObject.CONFIG_MAP, Sharing.ALL_REVISIONS),
    /// Who puts the roots into all namespaces.
    NAMESPACES("istio-namespace-controller-election", LockObject.CONFIG_MAP, Sharing.ALL_REVISIONS),
    /// Who takes the taint off nodes whose node agent is ready.
    NODE_UNTAINT("istio-node-untaint", LockObject.CONFIG_MAP, Sharing.ALL_REVISIONS),
    /// Who writes conditions.
    STATUS("istio-status-leader", LockObject.LEASE, Sharing.ALL_REVISIONS),
    /// Who writes what became of Gateways and routes.
    GATEWAY_STATUS("istio-gateway-status-leader", LockObject.LEASE, Sharing.ONE_REVISION),
    /// Who describes our cluster to others.
    SELF_DESCRIPTION("fathom-self-description", LockObject.LEASE, Sharing.ALL_REVISIONS),
    /// Who deploys Gateways.
    GATEWAY_DEPLOYMENT("istio-gateway-deployment", LockObject.LEASE, Sharing.ONE_REVISION);

    /// What kind of object it is.
    enum LockObject {
        LEASE,
        /// The record is JSON in an annotation.
        CONFIG_MAP
    }

    /// Who competes.
    enum Sharing {
        /// One leader for all revisions; the default one takes the lock from others.
        ALL_REVISIONS,
        /// A leader for each revision, whose name the lock's name ends with.
        ONE_REVISION
    }

    private final String base;
    private final LockObject kind;
    private final Sharing sharing;

    ElectionLock(String base, LockObject kind, Sharing sharing) {
        this.base = base;
        this.kind = kind;
        this.sharing = sharing;
    }

    /// The name of the object.
    public String nameFor(String revision) {
        return sharing == Sharing.ONE_REVISION ? base + "-" + revision : base;
    }

    LockObject kind() {
        return kind;
    }

    Sharing sharing() {
        return sharing;
    }
}
