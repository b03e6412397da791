// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import com.google.protobuf.ByteString;
import com.google.rpc.Status;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.xds.store.XdsType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/// What is held of a peer's resources of one type. For one thread.
final class HeldResources<T> {
    private static final int INVALID_ARGUMENT = 3;

    private final XdsType type;
    private final BiFunction<String, ByteString, T> reader;
    private final BiConsumer<List<T>, List<String>> sink;
    private final Map<String, String> versions = new HashMap<>();

    /// @param sink gets what changed, and the names of what is gone
    HeldResources(XdsType type, BiFunction<String, ByteString, T> reader, BiConsumer<List<T>, List<String>> sink) {
        this.type = type;
        this.reader = reader;
        this.sink = sink;
    }

    int size() {
        return versions.size();
    }

    boolean isAbout(DeltaDiscoveryResponse response) {
        return response.getTypeUrl().equals(type.url());
    }

    /// Asks for all that is different from what is held.
    DeltaDiscoveryRequest request() {
        return DeltaDiscoveryRequest.newBuilder()
                .setTypeUrl(type.url())
                .putAllInitialResourceVersions(versions)
                .build();
    }

    /// Takes in what can be read, and says what cannot.
    DeltaDiscoveryRequest received(DeltaDiscoveryResponse response) {
        var changed = new ArrayList<T>();
        var known = new HashMap<String, String>();
        var refused = new StringBuilder();
        for (var resource : response.getResourcesList()) {
            try {
                changed.add(
                        reader.apply(resource.getName(), resource.getResource().getValue()));
                known.put(resource.getName(), resource.getVersion());
            } catch (ProblemException e) {
                refused.append(refused.isEmpty() ? "" : "; ").append(e.problem().message());
            }
        }
        var gone = response.getRemovedResourcesList().stream()
                .filter(name -> versions.containsKey(name) && !known.containsKey(name))
                .toList();
        if (!changed.isEmpty() || !gone.isEmpty()) {
            sink.accept(changed, gone);
        }
        gone.forEach(versions::remove);
        versions.putAll(known);
        return answer(response, refused.toString());
    }

    /// Nothing is held any more.
    void forget() {
        if (!versions.isEmpty()) {
            var gone = List.copyOf(versions.keySet());
            versions.clear();
            sink.accept(List.of(), gone);
        }
    }

    static DeltaDiscoveryRequest answer(DeltaDiscoveryResponse response, String refused) {
        var answer = DeltaDiscoveryRequest.newBuilder()
                .setTypeUrl(response.getTypeUrl())
                .setResponseNonce(response.getNonce());
        if (!refused.isEmpty()) {
            answer.setErrorDetail(Status.newBuilder().setCode(INVALID_ARGUMENT).setMessage(refused));
        }
        return answer.build();
    }
}
