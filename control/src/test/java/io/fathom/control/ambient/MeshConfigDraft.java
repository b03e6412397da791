// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.meshconfig.ExtensionProvider;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope;
import io.fathom.wire.kube.meshconfig.MeshTelemetry;
import io.fathom.wire.kube.meshconfig.MeshTraffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The mesh configuration, saying nothing.
public final class MeshConfigDraft extends Draft<MeshConfigDraft> {
    private String rootNamespace = "";
    private String trustDomain = "";
    private final List<LabelSelector> discovery = new ArrayList<>();
    private final List<ServiceScope> scopes = new ArrayList<>();
    private final List<EntryVisibility.Policy> policies = new ArrayList<>();
    private Optional<EntryVisibility.Level> visibility = Optional.empty();
    private final List<ExtensionProvider> providers = new ArrayList<>();

    MeshConfigDraft() {
        super("istio-system/istio");
    }

    @Override
    MeshConfigDraft self() {
        return this;
    }

    public MeshConfigDraft root(String namespace) {
        rootNamespace = namespace;
        return this;
    }

    public MeshConfigDraft trustDomain(String value) {
        trustDomain = value;
        return this;
    }

    public MeshConfigDraft discovers(String label, String value) {
        discovery.add(labelled(label, value));
        return this;
    }

    /// As the ambient profile has it.
    MeshConfigDraft globalByLabel() {
        return scope(LabelSelector.EVERYTHING, labelled("istio.io/global", "true"), ServiceScope.Scope.GLOBAL);
    }

    MeshConfigDraft scope(LabelSelector namespaces, LabelSelector services, ServiceScope.Scope scope) {
        scopes.add(new ServiceScope(namespaces, services, scope));
        return this;
    }

    public MeshConfigDraft visibility(EntryVisibility.Level fallback) {
        visibility = Optional.of(fallback);
        return this;
    }

    public MeshConfigDraft visibility(EntryVisibility.Level level, LabelSelector... namespaces) {
        policies.add(new EntryVisibility.Policy(List.of(namespaces), level));
        return this;
    }

    MeshConfigDraft provider(ExtensionProvider provider) {
        providers.add(provider);
        return this;
    }

    public static LabelSelector labelled(String label, String value) {
        return new LabelSelector(Map.of(label, value), List.of());
    }

    @Override
    MeshConfigManifest manifest() {
        return new MeshConfigManifest(
                metadata(),
                rootNamespace,
                trustDomain,
                List.of(),
                List.of(),
                discovery,
                scopes,
                visibility.map(fallback -> new EntryVisibility(policies, fallback)),
                providers,
                MeshTelemetry.NOTHING,
                MeshTraffic.NOTHING);
    }
}
