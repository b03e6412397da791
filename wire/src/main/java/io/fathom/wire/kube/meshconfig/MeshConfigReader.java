// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.LabelSelector;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.SelectorReader;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility.Level;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.EntryVisibility.Policy;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Position;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads the mesh configuration: YAML inside key `mesh` of a ConfigMap.
public final class MeshConfigReader implements KindReader {
    private static final Choices<Scope> SCOPES = Choices.of(Scope.class, Scope::name);
    private static final Choices<Level> LEVELS =
            Choices.of(Level.class, Level::name).or("VISIBILITY_UNSPECIFIED", Level.PUBLIC);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var text = object.at("data").at("mesh");
        if (!text.isPresent()) {
            throw text.missing("add key mesh; its text is the mesh configuration, possibly empty");
        }
        var mesh = embedded(text);
        return new MeshConfigManifest(
                metadata,
                mesh.at("rootNamespace").text(),
                mesh.at("trustDomain").text(),
                mesh.at("trustDomainAliases").texts(),
                MeshRootsReader.read(mesh.at("caCertificates")),
                mesh.at("discoverySelectors").items().stream()
                        .map(SelectorReader::labels)
                        .toList(),
                mesh.at("serviceScopeConfigs").items().stream()
                        .map(MeshConfigReader::scope)
                        .toList(),
                visibility(mesh.at("serviceEntryVisibility")),
                ExtensionProviderReader.read(mesh.at("extensionProviders")),
                MeshTelemetryReader.read(mesh),
                MeshTrafficReader.read(mesh));
    }

    /// The text of a field as a document of its own, with lines and paths of the file it stands in.
    private static Field embedded(Field text) {
        var at = text.position();
        // Blank lines in front let the parser count lines as the file does.
        var documents = Documents.ofYaml(at.file(), "\n".repeat(text.bodyLine() - 1) + text.text(), Limits.DEFAULT);
        return switch (documents.isEmpty() ? null : documents.getFirst()) {
            case null -> text.embedded(new Tree.Mapping(at, Map.of()));
            case Document.Parsed parsed -> text.embedded(parsed.root());
            case Document.Broken broken -> throw inside(text, broken.cause());
        };
    }

    private static MisreadException inside(Field text, MisreadException cause) {
        var field = cause.field().isEmpty() ? text.path() : text.path() + "." + cause.field();
        return new MisreadException(new Position(cause.at().file(), cause.at().line()), field, cause.problem());
    }

    private static ServiceScope scope(Field config) {
        return new ServiceScope(
                SelectorReader.labels(config.at("namespaceSelector")),
                SelectorReader.labels(config.at("servicesSelector")),
                config.at("scope").oneOf(SCOPES, Scope.LOCAL));
    }

    private static Optional<EntryVisibility> visibility(Field visibility) {
        return visibility.isPresent()
                ? Optional.of(new EntryVisibility(
                        visibility.at("policies").items().stream()
                                .map(MeshConfigReader::policy)
                                .toList(),
                        visibility.at("defaultVisibility").oneOf(LEVELS, Level.PUBLIC)))
                : Optional.empty();
    }

    private static Policy policy(Field policy) {
        List<LabelSelector> namespaces = policy.at("matchingRules").items().stream()
                .map(MeshConfigReader::rule)
                .toList();
        return new Policy(namespaces, policy.at("visibility").oneOf(LEVELS, Level.PUBLIC));
    }

    /// A rule without a matcher that we know matches nothing, so that newer rules never widen anything.
    private static LabelSelector rule(Field rule) {
        var selector = rule.at("namespaceSelector");
        return selector.isPresent() ? SelectorReader.labels(selector) : LabelSelector.NOTHING;
    }
}
