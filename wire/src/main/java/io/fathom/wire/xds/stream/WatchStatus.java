// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.XdsResponse;
import io.fathom.wire.xds.store.XdsType;
import java.time.Instant;
import java.util.Optional;

/// What one client subscribes to of one type, what it got, and what it said to it.
///
/// @param names how many it subscribes to one by one; 0 for a wildcard
/// @param error why it refused a response, until it accepts one
public record WatchStatus(
        XdsType type,
        Scope scope,
        int names,
        String sentNonce,
        String sentVersion,
        Optional<Instant> sentAt,
        String ackedNonce,
        Optional<String> error,
        long responsesSent,
        long resourcesSent,
        long bytesSent,
        long refused) {

    /// Everything, or single resources.
    public enum Scope {
        WILDCARD,
        NAMED
    }

    public static WatchStatus of(XdsType type) {
        return new WatchStatus(type, Scope.WILDCARD, 0, "", "", Optional.empty(), "", Optional.empty(), 0, 0, 0, 0);
    }

    /// Whether the latest response was accepted.
    public boolean isSynced() {
        return !sentNonce.isEmpty() && sentNonce.equals(ackedNonce);
    }

    WatchStatus subscribed(Scope newScope, int newNames) {
        return new WatchStatus(
                type,
                newScope,
                newNames,
                sentNonce,
                sentVersion,
                sentAt,
                ackedNonce,
                error,
                responsesSent,
                resourcesSent,
                bytesSent,
                refused);
    }

    WatchStatus sent(XdsResponse response, Instant at) {
        return new WatchStatus(
                type,
                scope,
                names,
                response.nonce(),
                response.version(),
                Optional.of(at),
                ackedNonce,
                error,
                responsesSent + 1,
                resourcesSent + response.resources(),
                bytesSent + response.size(),
                refused);
    }

    WatchStatus acked(String nonce) {
        return new WatchStatus(
                type,
                scope,
                names,
                sentNonce,
                sentVersion,
                sentAt,
                nonce,
                Optional.empty(),
                responsesSent,
                resourcesSent,
                bytesSent,
                refused);
    }

    WatchStatus refused(String reason) {
        return new WatchStatus(
                type,
                scope,
                names,
                sentNonce,
                sentVersion,
                sentAt,
                ackedNonce,
                Optional.of(reason),
                responsesSent,
                resourcesSent,
                bytesSent,
                refused + 1);
    }
}
