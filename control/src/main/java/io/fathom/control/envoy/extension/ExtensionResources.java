// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import io.envoyproxy.envoy.config.core.v3.AsyncDataSource;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.wasm.v3.EnvironmentVariables;
import io.envoyproxy.envoy.extensions.wasm.v3.FailurePolicy;
import io.envoyproxy.envoy.extensions.wasm.v3.PluginConfig;
import io.envoyproxy.envoy.extensions.wasm.v3.VmConfig;
import io.fathom.wire.kube.extension.ExtensionManifest;
import io.fathom.wire.kube.extension.TrafficExtension.FailStrategy;
import io.fathom.wire.kube.extension.TrafficExtension.Layer;
import io.fathom.wire.kube.extension.TrafficExtension.Lua;
import io.fathom.wire.kube.extension.TrafficExtension.Wasm;
import java.util.Optional;

/// The resources that fill in extensions: a proxy swaps one for another without closing connections. They depend on
/// the extension and its module alone, so all proxies share them.
public final class ExtensionResources {
    private static final String FILE = "file://";

    private ExtensionResources() {}

    /// What listeners and the resource call it.
    public static String name(ExtensionManifest manifest) {
        return "extensions.istio.io/trafficextension/" + manifest.namespace() + "." + manifest.name();
    }

    /// Empty while its module is pending: proxies that have an earlier one keep it, others wait.
    public static Optional<TypedExtensionConfig> of(ExtensionManifest manifest, Modules modules) {
        return config(manifest, modules)
                .map(config -> TypedExtensionConfig.newBuilder()
                        .setName(name(manifest))
                        .setTypedConfig(Any.pack(config))
                        .build());
    }

    private static Optional<Message> config(ExtensionManifest manifest, Modules modules) {
        return switch (manifest.extension().program()) {
            case Lua(var code) ->
                Optional.of(io.envoyproxy.envoy.extensions.filters.http.lua.v3.Lua.newBuilder()
                        .setDefaultSourceCode(DataSource.newBuilder().setInlineString(code))
                        .build());
            case Wasm wasm
            when wasm.url().startsWith(FILE) ->
                Optional.of(wasm(
                        manifest,
                        wasm,
                        AsyncDataSource.newBuilder()
                                .setLocal(DataSource.newBuilder()
                                        .setFilename(wasm.url().substring(FILE.length())))
                                .build()));
            case Wasm wasm -> fetched(manifest, wasm, modules);
        };
    }

    private static Optional<Message> fetched(ExtensionManifest manifest, Wasm wasm, Modules modules) {
        return switch (modules.find(ModuleSource.of(manifest).orElseThrow())) {
            case ModuleState.Pending() -> Optional.empty();
            case ModuleState.Ready(var code) -> Optional.of(wasm(manifest, wasm, inline(code)));
            case ModuleState.Failed _ -> Optional.of(substitute(wasm));
        };
    }

    /// Proxies get the module with the resource: stock Envoy does not fetch one that arrives after its start.
    private static AsyncDataSource inline(ByteString code) {
        return AsyncDataSource.newBuilder()
                .setLocal(DataSource.newBuilder().setInlineBytes(code))
                .build();
    }

    /// Lets everything or nothing pass, for a module that cannot be had.
    private static Message substitute(Wasm wasm) {
        // Without rules everything passes; rules that match nothing let nothing pass.
        var closed = wasm.failStrategy() != FailStrategy.OPEN;
        if (wasm.layer() == Layer.NETWORK) {
            var rbac = io.envoyproxy
                    .envoy
                    .extensions
                    .filters
                    .network
                    .rbac
                    .v3
                    .RBAC
                    .newBuilder()
                    .setStatPrefix("extension.");
            return closed ? rbac.setRules(RBAC.getDefaultInstance()).build() : rbac.build();
        }
        var rbac = io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC.newBuilder();
        return closed ? rbac.setRules(RBAC.getDefaultInstance()).build() : rbac.build();
    }

    private static Message wasm(ExtensionManifest manifest, Wasm wasm, AsyncDataSource code) {
        var name = manifest.namespace() + "." + manifest.name();
        var vm = VmConfig.newBuilder().setRuntime("envoy.wasm.runtime.v8").setCode(code);
        if (!wasm.environment().isEmpty() || !wasm.hostEnvironment().isEmpty()) {
            vm.setEnvironmentVariables(EnvironmentVariables.newBuilder()
                    .addAllHostEnvKeys(wasm.hostEnvironment())
                    .putAllKeyValues(new java.util.TreeMap<>(wasm.environment())));
        }
        var plugin = PluginConfig.newBuilder()
                .setName(name)
                .setRootId(wasm.name())
                .setVmConfig(vm)
                .setFailurePolicy(
                        switch (wasm.failStrategy()) {
                            case OPEN -> FailurePolicy.FAIL_OPEN;
                            case CLOSE -> FailurePolicy.FAIL_CLOSED;
                            case RELOAD -> FailurePolicy.FAIL_RELOAD;
                        });
        if (!wasm.config().isEmpty()) {
            plugin.setConfiguration(Any.pack(StringValue.of(wasm.config())));
        }
        return wasm.layer() == Layer.NETWORK
                ? io.envoyproxy.envoy.extensions.filters.network.wasm.v3.Wasm.newBuilder()
                        .setConfig(plugin)
                        .build()
                : io.envoyproxy.envoy.extensions.filters.http.wasm.v3.Wasm.newBuilder()
                        .setConfig(plugin)
                        .build();
    }
}
