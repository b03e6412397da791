// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.PathConfigSource;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// What a control plane would send, in files that Envoy reads: route tables and certificates by name. Listeners get any
/// free port.
public final class OnDisk {
    private final Path folder;
    private final Map<String, Path> files = new HashMap<>();

    /// Files go into a folder of the test.
    public OnDisk(Path folder) {
        this.folder = folder;
    }

    /// A resource that listeners name.
    public void put(String name, Message resource) {
        var any = Any.pack(resource);
        var response = DiscoveryResponse.newBuilder()
                .setVersionInfo("1")
                .setTypeUrl(any.getTypeUrl())
                .addResources(any)
                .build();
        var file = folder.resolve("resource-" + files.size() + ".pb");
        try {
            Files.write(file, response.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        files.put(name, file);
    }

    /// With files in the place of the control plane.
    public Listener rewired(Listener listener) {
        var builder = listener.toBuilder();
        builder.getAddressBuilder().getSocketAddressBuilder().setPortValue(0);
        builder.getFilterChainsBuilderList().forEach(this::rewire);
        return builder.build();
    }

    private void rewire(FilterChain.Builder chain) {
        try {
            if (chain.hasTransportSocket()) {
                var tls = chain.getTransportSocket().getTypedConfig().unpack(DownstreamTlsContext.class).toBuilder();
                var common = tls.getCommonTlsContextBuilder();
                common.getTlsCertificateSdsSecretConfigsBuilderList()
                        .forEach(secret -> secret.setSdsConfig(file(secret.getName())));
                if (common.hasCombinedValidationContext()) {
                    var authorities =
                            common.getCombinedValidationContextBuilder().getValidationContextSdsSecretConfigBuilder();
                    authorities.setSdsConfig(file(authorities.getName()));
                }
                chain.getTransportSocketBuilder().setTypedConfig(Any.pack(tls.build()));
            }
            for (Filter.Builder filter : chain.getFiltersBuilderList()) {
                if (filter.getTypedConfig().is(HttpConnectionManager.class)) {
                    var manager = filter.getTypedConfig().unpack(HttpConnectionManager.class).toBuilder();
                    manager.getRdsBuilder()
                            .setConfigSource(file(manager.getRds().getRouteConfigName()));
                    filter.setTypedConfig(Any.pack(manager.build()));
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ConfigSource file(String name) {
        var file = files.get(name);
        if (file == null) {
            throw new AssertionError("nobody put " + name);
        }
        return ConfigSource.newBuilder()
                .setPathConfigSource(PathConfigSource.newBuilder().setPath(file.toString()))
                .setResourceApiVersion(ApiVersion.V3)
                .build();
    }
}
