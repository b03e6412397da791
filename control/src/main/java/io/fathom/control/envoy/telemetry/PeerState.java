// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.core.v3.SubstitutionFormatString;
import io.envoyproxy.envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue;
import io.envoyproxy.envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue.SharedWithUpstream;
import java.util.Arrays;
import java.util.List;

/// What a tunnel's `baggage` header tells about who opened it, kept as filter state of the tunnel. The listener that
/// ends tunnels sets it ([#fromBaggage]); the listeners behind it read it ([Part#format]).
///
/// Peers assert these values themselves: they are labels, never a reason to let someone in.
public final class PeerState {
    /// Who the peer proved to be; set from its certificate by the listener that ends tunnels.
    public static final String PRINCIPAL = "io.istio.peer_principal";

    static final String UNKNOWN = "unknown";
    private static final String OWNER = "k8s[.](?:deployment|pod|job|cronjob|statefulset|daemonset)[.]name";

    /// One value of the baggage.
    public enum Part {
        WORKLOAD("io.istio.peer.workload", OWNER, UNKNOWN),
        NAMESPACE("io.istio.peer.namespace", "k8s[.]namespace[.]name", UNKNOWN),
        CANONICAL("io.istio.peer.canonical", "service[.]name", UNKNOWN),
        REVISION("io.istio.peer.revision", "service[.]version", "latest"),
        CLUSTER("io.istio.peer.cluster", "k8s[.]cluster[.]name", UNKNOWN);

        private final String key;
        private final String expression;

        Part(String key, String member, String fallback) {
            this.key = key;
            var pattern = "'(?:.*,)?[ ]*" + member + "=([^,;]+).*'";
            expression = "'baggage' in request.headers && request.headers['baggage'].matches(" + pattern
                    + ") ? re.capture(request.headers['baggage'], " + pattern + ") : '" + fallback + "'";
        }

        /// The name of the filter state.
        public String key() {
            return key;
        }

        /// A format string with its value.
        public String format() {
            return "%FILTER_STATE(" + key + ":PLAIN)%";
        }

        private FilterStateValue fromBaggage() {
            return FilterStateValue.newBuilder()
                    .setObjectKey(key)
                    .setFactoryKey("envoy.hashable_string")
                    .setFormatString(SubstitutionFormatString.newBuilder()
                            .setTextFormatSource(DataSource.newBuilder().setInlineString("%CEL(" + expression + ")%"))
                            .setOmitEmptyValues(true))
                    .setSkipIfEmpty(true)
                    .setSharedWithUpstream(SharedWithUpstream.ONCE)
                    .build();
        }
    }

    private PeerState() {}

    /// For the `set_filter_state` filter of the listener that ends tunnels.
    public static List<FilterStateValue> fromBaggage() {
        return Arrays.stream(Part.values()).map(Part::fromBaggage).toList();
    }
}
