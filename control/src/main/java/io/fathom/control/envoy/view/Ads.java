// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.Rds;

/// What a proxy asks for on its one stream to the control plane, which always answers: so it waits without limit.
public final class Ads {
    public static final ConfigSource SOURCE = ConfigSource.newBuilder()
            .setAds(AggregatedConfigSource.getDefaultInstance())
            .setInitialFetchTimeout(Duration.getDefaultInstance())
            .setResourceApiVersion(ApiVersion.V3)
            .build();

    private Ads() {}

    public static Rds routes(String table) {
        return Rds.newBuilder()
                .setRouteConfigName(table)
                .setConfigSource(SOURCE)
                .build();
    }
}
