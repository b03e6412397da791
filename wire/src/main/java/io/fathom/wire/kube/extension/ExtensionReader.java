// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.extension;

import io.fathom.wire.kube.extension.TrafficExtension.FailStrategy;
import io.fathom.wire.kube.extension.TrafficExtension.Layer;
import io.fathom.wire.kube.extension.TrafficExtension.Lua;
import io.fathom.wire.kube.extension.TrafficExtension.Phase;
import io.fathom.wire.kube.extension.TrafficExtension.Program;
import io.fathom.wire.kube.extension.TrafficExtension.PullPolicy;
import io.fathom.wire.kube.extension.TrafficExtension.Traffic;
import io.fathom.wire.kube.extension.TrafficExtension.Wasm;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.manifest.SelectorReader;
import io.fathom.wire.kube.manifest.Values;
import io.fathom.wire.kube.security.TargetRefs;
import io.fathom.wire.kube.telemetry.TelemetryReader;
import io.fathom.wire.kube.telemetry.TrafficMode;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Locale;

/// Reads WasmPlugins and TrafficExtensions.
public final class ExtensionReader {
    private static final Choices<Phase> PHASES =
            Choices.of(Phase.class, Phase::name).or("UNSPECIFIED_PHASE", Phase.UNSPECIFIED);
    private static final Choices<FailStrategy> STRATEGIES =
            Choices.of(FailStrategy.class, strategy -> "FAIL_" + strategy.name());
    private static final Choices<Layer> LAYERS =
            Choices.of(Layer.class, Layer::name).or("UNSPECIFIED_PLUGIN_TYPE", Layer.HTTP);
    private static final Choices<PullPolicy> PULLS = Choices.of(PullPolicy.class, policy -> switch (policy) {
        case UNSPECIFIED -> "UNSPECIFIED_POLICY";
        case IF_NOT_PRESENT -> "IfNotPresent";
        case ALWAYS -> "Always";
    });

    private ExtensionReader() {}

    public static Manifest wasmPlugin(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new WasmPluginManifest(metadata, extension(spec, wasm(spec), interner));
    }

    public static Manifest trafficExtension(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        var wasm = spec.at("wasm");
        var lua = spec.at("lua");
        if (wasm.isPresent() == lua.isPresent()) {
            throw spec.wrong(
                    "manifest-bad-value", "must have either wasm or lua", "write one of them: it says what is run");
        }
        return new TrafficExtensionManifest(
                metadata, extension(spec, wasm.isPresent() ? wasm(wasm) : lua(lua), interner));
    }

    private static TrafficExtension extension(Field spec, Program program, Interner interner) {
        return new TrafficExtension(
                SelectorReader.workloads(spec.at("selector"), interner),
                TargetRefs.read(spec),
                spec.at("phase").oneOf(PHASES, Phase.UNSPECIFIED),
                spec.at("priority")
                        .integer(Integer.MIN_VALUE, Integer.MAX_VALUE)
                        .orElse(0),
                spec.at("match").items().stream().map(ExtensionReader::traffic).toList(),
                program);
    }

    private static Traffic traffic(Field match) {
        return new Traffic(
                match.at("mode").oneOf(TelemetryReader.MODES, TrafficMode.CLIENT_AND_SERVER),
                match.at("ports").items().stream()
                        .map(port -> port.at("number").requiredInteger(1, Ports.MOST))
                        .toList());
    }

    private static Wasm wasm(Field wasm) {
        var environment = new LinkedHashMap<String, String>();
        var host = new ArrayList<String>();
        for (var variable : wasm.at("vmConfig").at("env").items()) {
            var name = variable.at("name").requiredText();
            if (variable.at("valueFrom").text().equals("HOST")) {
                host.add(name);
            } else {
                environment.put(name, variable.at("value").text());
            }
        }
        return new Wasm(
                url(wasm.at("url")),
                sha256(wasm.at("sha256")),
                wasm.at("imagePullPolicy").oneOf(PULLS, PullPolicy.UNSPECIFIED),
                wasm.at("imagePullSecret").text(),
                Values.json(wasm.at("pluginConfig")),
                wasm.at("pluginName").text(),
                wasm.at("failStrategy").oneOf(STRATEGIES, FailStrategy.CLOSE),
                wasm.at("type").oneOf(LAYERS, Layer.HTTP),
                environment,
                host);
    }

    /// Without a scheme it names an image.
    private static String url(Field field) {
        var url = field.requiredText();
        if (!url.contains("://")) {
            return "oci://" + url;
        }
        if (!url.matches("(oci|https?|file)://.+")) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"" + url + "\", which cannot be fetched",
                    "begin it with oci://, https://, http:// or file://");
        }
        return url;
    }

    private static String sha256(Field field) {
        var hash = field.text().toLowerCase(Locale.ROOT);
        if (!hash.isEmpty() && !hash.matches("[0-9a-f]{64}")) {
            throw field.wrong(
                    "manifest-bad-value", "is no SHA-256", "write the 64 hexadecimal digits, or leave it away");
        }
        return hash;
    }

    private static Lua lua(Field lua) {
        var field = lua.at("inlineCode");
        var code = field.requiredText();
        var size = code.getBytes(StandardCharsets.UTF_8).length;
        if (size > Lua.MAX_BYTES) {
            throw field.wrong(
                    "manifest-out-of-range",
                    "has " + size + " bytes, at most " + Lua.MAX_BYTES + " are allowed",
                    "shorten it, or make it a WasmPlugin");
        }
        return new Lua(code);
    }
}
