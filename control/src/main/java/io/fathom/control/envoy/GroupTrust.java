// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.fathom.base.flow.Fetch;
import io.fathom.control.ambient.trust.TrustTables;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.model.trust.TrustMap;
import io.fathom.wire.sds.TrustSecret;
import io.fathom.wire.xds.store.XdsType;
import java.util.Map;

/// What proxies of a group verify peers with, where that is more than their own roots. Pure.
final class GroupTrust {
    private GroupTrust() {}

    static Map<ResourceKey, Message> secret(TrustTables trust, Fetch<?> fetch, Group group) {
        if (group.settings().bundles().isEmpty()) {
            return Map.of();
        }
        return trust.map(fetch)
                .map(map -> Map.of(new ResourceKey(group.key(), XdsType.SECRET, TrustSecret.NAME), message(map)))
                .orElse(Map.of());
    }

    private static Message message(TrustMap map) {
        try {
            return Secret.parseFrom(TrustSecret.encode(map));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("it was made right here", e);
        }
    }
}
