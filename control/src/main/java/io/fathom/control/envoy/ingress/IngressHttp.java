// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.extensions.filters.http.cors.v3.Cors;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.HTTPFault;
import io.envoyproxy.envoy.extensions.filters.http.grpc_stats.v3.FilterConfig;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.ForwardClientCertDetails;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.SetCurrentClientCertDetails;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.UpgradeConfig;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.view.Ads;
import io.fathom.control.envoy.view.Paths;

/// How ingress proxies read requests. Pure.
final class IngressHttp {
    private final IngressProxy proxy;
    private final ChainParts parts;

    IngressHttp(IngressProxy proxy, ChainParts parts) {
        this.proxy = proxy;
        this.parts = parts;
    }

    /// @param table of routes, which the proxy asks for by that name
    Filter manager(PortPlan plan, String table) {
        var manager = HttpConnectionManager.newBuilder()
                .setStatPrefix("outbound_%s_%d;"
                        .formatted(plan.bind().isEmpty() ? proxy.addresses().getFirst() : plan.bind(), plan.port()))
                .setRds(Ads.routes(table))
                .setUseRemoteAddress(BoolValue.of(true))
                .setXffNumTrustedHops(proxy.topology().trustedHops())
                .setForwardClientCertDetails(forwarded())
                .setSetCurrentClientCertDetails(SetCurrentClientCertDetails.newBuilder()
                        .setSubject(BoolValue.of(true))
                        .setCert(true)
                        .setDns(true)
                        .setUri(true))
                .setServerName("istio-envoy")
                .setStreamIdleTimeout(Duration.getDefaultInstance())
                .addUpgradeConfigs(UpgradeConfig.newBuilder().setUpgradeType("websocket"))
                .addAllAccessLog(parts.httpLogs())
                .addAllHttpFilters(parts.http())
                .addHttpFilters(filter(
                        "envoy.filters.http.grpc_stats",
                        FilterConfig.newBuilder().setEmitFilterState(true).build()))
                .addHttpFilters(filter("envoy.filters.http.fault", HTTPFault.getDefaultInstance()))
                .addHttpFilters(filter("envoy.filters.http.cors", Cors.getDefaultInstance()))
                .addAllHttpFilters(parts.last())
                .addHttpFilters(filter("envoy.filters.http.router", Router.getDefaultInstance()));
        Paths.write(proxy.paths(), manager);
        parts.tracing().addTo(manager);
        return Filter.newBuilder()
                .setName("envoy.filters.network.http_connection_manager")
                .setTypedConfig(Any.pack(manager.build()))
                .build();
    }

    private ForwardClientCertDetails forwarded() {
        return switch (proxy.topology().certificates()) {
            case SANITIZE -> ForwardClientCertDetails.SANITIZE;
            case FORWARD_ONLY -> ForwardClientCertDetails.FORWARD_ONLY;
            case APPEND_FORWARD -> ForwardClientCertDetails.APPEND_FORWARD;
            case SANITIZE_SET -> ForwardClientCertDetails.SANITIZE_SET;
            case ALWAYS_FORWARD_ONLY -> ForwardClientCertDetails.ALWAYS_FORWARD_ONLY;
        };
    }

    private static HttpFilter filter(String name, Message config) {
        return HttpFilter.newBuilder()
                .setName(name)
                .setTypedConfig(Any.pack(config))
                .build();
    }
}
