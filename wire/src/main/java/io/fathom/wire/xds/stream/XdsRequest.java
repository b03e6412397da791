// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import com.google.protobuf.ByteString;
import io.fathom.wire.xds.store.XdsType;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// One request of a client, of either protocol; a state-of-the-world request has its names in `subscribe`.
///
/// @param node who the client is, still encoded: only the first request needs it
/// @param nonce of the response that is acknowledged or refused; empty for a request of the client's own accord
/// @param error why the response was refused
/// @param size bytes on the wire
public record XdsRequest(
        Optional<ByteString> node,
        XdsType type,
        List<String> subscribe,
        List<String> unsubscribe,
        InitialVersions initial,
        String nonce,
        Optional<String> error,
        int size) {
    /// Asking for these names, and giving up those.
    XdsRequest about(Predicate<String> some) {
        return new XdsRequest(
                node,
                type,
                subscribe.stream().filter(some).toList(),
                unsubscribe.stream().filter(some).toList(),
                initial,
                nonce,
                error,
                size);
    }

    /// Without asking for some of the names.
    public XdsRequest without(Predicate<String> refused) {
        return subscribe.stream().noneMatch(refused)
                ? this
                : new XdsRequest(
                        node,
                        type,
                        subscribe.stream().filter(refused.negate()).toList(),
                        unsubscribe,
                        initial,
                        nonce,
                        error,
                        size);
    }
}
