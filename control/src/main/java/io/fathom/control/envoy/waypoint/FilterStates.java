// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue;
import io.envoyproxy.envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue.SharedWithUpstream;
import io.fathom.control.envoy.telemetry.PeerState;
import java.util.List;
import java.util.stream.Stream;

/// What is known of a tunnel and handed from one internal listener to the next, exactly one step far.
///
/// Strings are hashable, so that they take part in the choice of a pooled connection: nobody ever gets one that was
/// opened for another peer.
public final class FilterStates {
    /// Who opened the tunnel; absent for [PlainClients].
    public static final String PEER_PRINCIPAL = PeerState.PRINCIPAL;
    /// Who took it.
    public static final String LOCAL_PRINCIPAL = "io.istio.local_principal";
    /// What the tunnel leads to, as the peer wrote it.
    public static final String AUTHORITY = "io.istio.connect_authority";

    /// Says what kind of proxy asks.
    static final String SOURCE_HEADER = "x-istio-source";
    /// What a tunnel to another network leads to there.
    static final String FAR_TARGET = "istio.double_hbone.hbone_target_address";
    /// What kind of proxy asks, and who it is.
    static final String SOURCE_AND_PEER = "io.fathom.source_and_peer";

    static final String LOCAL_ADDRESS = "envoy.filters.listener.original_dst.local_ip";
    private static final String REMOTE_ADDRESS = "envoy.filters.listener.original_dst.remote_ip";
    private static final String HASHABLE = "envoy.hashable_string";

    private FilterStates() {}

    /// Set on each tunnel.
    static List<FilterStateValue> ofTunnel() {
        return Stream.concat(
                        Stream.of(
                                address(LOCAL_ADDRESS, "%REQ(:AUTHORITY)%"),
                                string(AUTHORITY, "%REQ(:AUTHORITY)%"),
                                address(REMOTE_ADDRESS, PlainClients.ADDRESS),
                                ifAny(PEER_PRINCIPAL, PlainClients.PRINCIPAL),
                                ifAny(PlainClients.STATE, PlainClients.IS_TRUE),
                                string(LOCAL_PRINCIPAL, "%DOWNSTREAM_LOCAL_URI_SAN%")),
                        PeerState.fromBaggage().stream())
                .toList();
    }

    /// Shares the address that a tunnel leads to with the next listener, too.
    static FilterStateValue again() {
        return address(LOCAL_ADDRESS, "%FILTER_STATE(" + LOCAL_ADDRESS + ":PLAIN)%");
    }

    /// Who says what about itself; see [Detour].
    static FilterStateValue sourceAndPeer() {
        return string(SOURCE_AND_PEER, "%REQ(" + SOURCE_HEADER + ")% %DOWNSTREAM_PEER_URI_SAN%");
    }

    /// What an endpoint on another network says about itself: the address of the gateway, and what to ask that for.
    /// Shared with all that follows.
    static List<FilterStateValue> toGateway() {
        return Stream.of(
                        address(LOCAL_ADDRESS, "%DYNAMIC_METADATA(envoy.filters.listener.original_dst:local)%"),
                        string(FAR_TARGET, "%DYNAMIC_METADATA(istio:double_hbone:hbone_target_address)%"))
                .map(value -> value.toBuilder()
                        .setSharedWithUpstream(SharedWithUpstream.TRANSITIVE)
                        .build())
                .toList();
    }

    /// Its value in a format.
    static String plain(String key) {
        return "%FILTER_STATE(" + key + ":PLAIN)%";
    }

    private static FilterStateValue address(String key, String format) {
        return FilterStateValue.newBuilder()
                .setObjectKey(key)
                .setFormatString(Typed.text(format))
                .setSharedWithUpstream(SharedWithUpstream.ONCE)
                .build();
    }

    /// Not set at all where there is no value.
    private static FilterStateValue ifAny(String key, String format) {
        var value = string(key, format).toBuilder().setSkipIfEmpty(true);
        value.getFormatStringBuilder().setOmitEmptyValues(true);
        return value.build();
    }

    private static FilterStateValue string(String key, String format) {
        return address(key, format).toBuilder().setFactoryKey(HASHABLE).build();
    }
}
