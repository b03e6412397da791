// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Derivation;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Timeline;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.extension.EnvoyFilters;
import io.fathom.control.envoy.extension.ExtensionResources;
import io.fathom.control.envoy.extension.Extensions;
import io.fathom.control.envoy.extension.ModuleFetcher;
import io.fathom.control.envoy.extension.ModuleLibrary;
import io.fathom.control.envoy.extension.ModuleSource;
import io.fathom.control.envoy.extension.ModuleState;
import io.fathom.control.envoy.extension.Modules;
import io.fathom.control.envoy.refusal.Ingredients;
import io.fathom.control.envoy.telemetry.TelemetryReview;
import io.fathom.control.envoy.telemetry.TelemetryScope;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.envoy.view.Situation;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.extension.ExtensionManifest;
import io.fathom.wire.kube.extension.TrafficExtensionManifest;
import io.fathom.wire.kube.extension.WasmPluginManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.xds.store.XdsType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// What users write about logs, spans and metrics, about extensions and about patches. Derivations ask for it; a row is
/// made again only when an object of a namespace that it looked at changes.
final class UserParts {
    private static final String ALL = "all";

    private final MeshFlow mesh;
    private final Index<String, ObjectKey, TelemetryManifest> telemetries;
    private final Index<String, ManifestId, ExtensionManifest> extensions;
    private final Index<String, ManifestId, ExtensionManifest> everyExtension;
    private final Index<String, ObjectKey, EnvoyFilterManifest> filters;
    private final Source<ModuleSource, ModuleState> modules;
    private final Table<ManifestId, ModuleSource> wanted;
    private final Table<ObjectKey, EnvoyFilters> patches;
    private final Table<ProblemKey, ObjectProblem> problems;

    UserParts(MeshFlow mesh, Groups groups) {
        this.mesh = mesh;
        var flow = mesh.flow();
        telemetries = flow.index("envoy/telemetries", mesh.manifests(TelemetryManifest.class), UserParts::namespaces);
        filters = flow.index("envoy/filters", mesh.manifests(EnvoyFilterManifest.class), UserParts::namespaces);
        Table<ManifestId, ExtensionManifest> both = flow.join(
                "envoy/extensions",
                List.of(
                        flow.rekey(
                                "envoy/wasm-plugins",
                                mesh.manifests(WasmPluginManifest.class),
                                (key, _) -> new ManifestId(WasmPluginManifest.class, key)),
                        flow.rekey(
                                "envoy/traffic-extensions",
                                mesh.manifests(TrafficExtensionManifest.class),
                                (key, _) -> new ManifestId(TrafficExtensionManifest.class, key))));
        extensions = flow.index("envoy/extensions-by-namespace", both, UserParts::namespaces);
        everyExtension = flow.index("envoy/every-extension", both, _ -> Set.of(ALL));
        wanted = flow.derive("envoy/wanted-modules", both, (fetch, extension) -> ModuleSource.of(extension));
        modules = flow.source("envoy/modules");
        patches = flow.derive("envoy/patches", groups.table(), this::patches);
        problems = flow.join(
                "envoy/user-problems",
                List.of(
                        flow.deriveMany("envoy/module-problems", both, this::failure),
                        problems(EnvoyFilterManifest.class, (_, filter) -> EnvoyFilters.problems(filter)),
                        problems(
                                TelemetryManifest.class,
                                (fetch, telemetry) -> TelemetryReview.problems(
                                        telemetry, mesh.settings(fetch).telemetry()))));
    }

    /// What of an object has no effect.
    private <V extends Manifest> Table<ProblemKey, ObjectProblem> problems(
            Class<V> type, Derivation<ObjectKey, V, List<ObjectProblem>> review) {
        return mesh.flow()
                .deriveMany(
                        "envoy/problems-of-" + type.getSimpleName(),
                        mesh.manifests(type),
                        (fetch, manifest) -> ObjectProblem.rows(review.derive(fetch, manifest)));
    }

    private Map<ProblemKey, ObjectProblem> failure(Fetch<ManifestId> fetch, ExtensionManifest extension) {
        return ObjectProblem.rows(ModuleSource.of(extension).flatMap(source -> fetch.one(modules, source)).stream()
                .flatMap(state -> state instanceof ModuleState.Failed(var problem)
                        ? Stream.of(ObjectProblem.error(ManifestId.of(extension), "spec.url", problem))
                        : Stream.empty())
                .toList());
    }

    /// What users should know.
    Table<ProblemKey, ObjectProblem> problems() {
        return problems;
    }

    private static Set<String> namespaces(Manifest manifest) {
        return Set.of(manifest.namespace());
    }

    /// What a part of a configuration is for.
    Situation situation(Fetch<?> fetch, ProxyGroup group, Optional<MeshService> service) {
        return new Situation(mesh.settings(fetch).rootNamespace(), group, service);
    }

    TelemetryScope telemetry(Fetch<?> fetch, Situation situation, Destinations destinations) {
        var settings = mesh.settings(fetch);
        return TelemetryScope.of(
                TelemetryScope.Settings.of(settings.telemetry(), settings.trustDomain()),
                situation,
                of(fetch, telemetries, situation),
                destinations);
    }

    Extensions extensions(Fetch<?> fetch, Situation situation) {
        return Extensions.of(situation, of(fetch, extensions, situation));
    }

    /// The changes to what a group is told.
    EnvoyFilters patches(Fetch<?> fetch, ObjectKey group) {
        return fetch.one(patches, group).orElse(EnvoyFilters.NONE);
    }

    /// The EnvoyFilters that a group may be changed by.
    List<EnvoyFilterManifest> filters(Fetch<?> fetch, ProxyGroup group) {
        var situation = situation(fetch, group, Optional.empty());
        return of(fetch, filters, situation).stream()
                .filter(filter -> EnvoyFilters.reaches(filter, situation))
                .toList();
    }

    /// The changes of those that are admitted to a resource.
    EnvoyFilters patches(Fetch<?> fetch, Group group, Ingredients parts) {
        return parts.isComplete() // as nearly always: those are made once for all resources of the group
                ? patches(fetch, group.key())
                : patches(fetch, group.proxies(), parts.filters());
    }

    /// The changes of some of them.
    EnvoyFilters patches(Fetch<?> fetch, ProxyGroup group, List<EnvoyFilterManifest> filters) {
        return EnvoyFilters.of(mesh.settings(fetch).rootNamespace(), group, filters);
    }

    private Optional<EnvoyFilters> patches(Fetch<ObjectKey> fetch, Group group) {
        var situation = situation(fetch, group.proxies(), Optional.empty());
        var found = EnvoyFilters.of(situation.rootNamespace(), group.proxies(), of(fetch, filters, situation));
        return found.isEmpty() ? Optional.empty() : Optional.of(found);
    }

    /// What fills in extensions. A proxy only gets those that its listeners name.
    Map<ResourceKey, Message> extensionConfigs(Fetch<?> fetch, ObjectKey group) {
        Modules known = source -> fetch.one(modules, source).orElseGet(ModuleState.Pending::new);
        var result = new LinkedHashMap<ResourceKey, Message>();
        for (var extension : fetch.all(everyExtension, ALL)) {
            ExtensionResources.of(extension, known)
                    .ifPresent(resource -> result.putIfAbsent(
                            new ResourceKey(group, XdsType.EXTENSION, resource.getName()), resource));
        }
        return result;
    }

    /// Fetches modules until closed.
    ModuleLibrary fetch(ModuleFetcher fetcher, Timeline timeline) {
        var flow = mesh.flow();
        var library = new ModuleLibrary(
                fetcher, timeline, (source, state) -> flow.update(update -> update.put(modules, source, state)));
        // Outlives the library, which wants nothing any more when it is closed.
        var _ = flow.subscribe(commit -> {
            if (!commit.changes(wanted).isEmpty()) {
                library.want(wanted(commit.cut()));
            }
        });
        library.want(wanted(flow.cut()));
        return library;
    }

    private Set<ModuleSource> wanted(Cut cut) {
        var result = new LinkedHashSet<ModuleSource>();
        cut.of(wanted).forEach((_, source) -> result.add(source));
        return result;
    }

    private static <K extends Comparable<? super K>, V> List<V> of(
            Fetch<?> fetch, Index<String, K, V> index, Situation situation) {
        var namespaces = new LinkedHashSet<>(
                List.of(situation.rootNamespace(), situation.group().namespace()));
        situation.service().ifPresent(service -> namespaces.add(service.namespace()));
        var result = new ArrayList<V>();
        namespaces.forEach(namespace -> result.addAll(fetch.all(index, namespace)));
        return result;
    }
}
