// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.ReaderConfig.Strictness;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.ExactFields;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Mistakes;
import io.fathom.wire.kube.schema.MeantKind;
import io.fathom.wire.kube.schema.Schemas;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import io.fathom.wire.kube.trust.TrustBundleObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Turns documents into manifests, filling in what the API server would have.
///
/// Each object is compared with the schema of its kind, as the configuration asks, and then read; all its mistakes are
/// found at once. An object with mistakes is refused as a whole, unless it protects something: then what is left of it
/// is in force, see [KindReader#readDamaged]. Other kinds are skipped. Equal parts of all objects that went through one
/// reader are shared. One thread only.
public final class ManifestReader {
    private static final String SECURITY = "security.istio.io";

    private static final Set<String> METADATA = Set.of(
            "name",
            "namespace",
            "generateName",
            "labels",
            "annotations",
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "resourceVersion",
            "generation",
            "ownerReferences",
            "finalizers",
            "managedFields",
            "selfLink");

    private final ReaderConfig config;
    private final Interner interner = new Interner();
    private final MetadataReader metadata;

    public ManifestReader(ReaderConfig config) {
        this.config = config;
        this.metadata = new MetadataReader(config.cluster(), interner);
    }

    /// The objects of a document: one, or those of a list.
    public List<Reading> read(Tree document, Ages ages) {
        var readings = new ArrayList<Reading>();
        read(Field.root(document), "", "", ages, readings);
        return readings;
    }

    private void read(Field object, String listedVersion, String listedKind, Ages ages, List<Reading> readings) {
        var subject = new Subject();
        try {
            var kind = object.at("kind").text(listedKind);
            var apiVersion = object.at("apiVersion").text(listedVersion);
            if (kind.isEmpty()) {
                throw object.at("kind").missing("add apiVersion and kind, or keep files without objects elsewhere");
            }
            subject.kind = kind;
            if (kind.endsWith("List") && object.at("items").isPresent()) {
                var itemKind = kind.substring(0, kind.length() - "List".length());
                for (var item : object.at("items").items()) {
                    read(item, itemKind.isEmpty() ? "" : apiVersion, itemKind, ages, readings);
                }
            } else {
                readings.add(named(readOne(object, apiVersion, kind, ages, subject), apiVersion, kind));
            }
        } catch (MisreadException e) {
            readings.add(subject.bad(e));
        } catch (RuntimeException e) {
            // A bug of ours; it must cost no more than this object.
            var bug =
                    object.wrong("manifest-reader-failed", "could not be read: " + e, "report this as a bug of Fathom");
            readings.add(subject.bad(bug));
        }
    }

    /// An item of a list has the kind that the list says; alone it has to say so itself.
    private static Reading named(Reading reading, String apiVersion, String kind) {
        if (!(reading instanceof Reading.Good(var manifest, var line, var problems, Tree.Mapping object))
                || (object.entries().containsKey("kind") && object.entries().containsKey("apiVersion"))) {
            return reading;
        }
        var entries = new LinkedHashMap<String, Tree>();
        entries.put("apiVersion", Json.of(apiVersion));
        entries.put("kind", Json.of(kind));
        entries.putAll(object.entries());
        return new Reading.Good(manifest, line, problems, new Tree.Mapping(object.at(), entries));
    }

    private Reading readOne(Field object, String apiVersion, String kindName, Ages ages, Subject subject) {
        var slash = apiVersion.indexOf('/');
        var group = slash < 0 ? "" : apiVersion.substring(0, slash);
        var version = apiVersion.substring(slash + 1);
        var found = ManifestKinds.find(group, kindName);
        var served = isStrict()
                ? Schemas.all().isServed(group, version, kindName)
                : found.isPresent() && found.get().isServedIn(version);
        if (!served) {
            return unserved(object, apiVersion, kindName, subject);
        }
        if (found.isEmpty()) {
            return skipped(group, version, kindName, object, subject);
        }
        var meta = object.at("metadata");
        var kind = concrete(found.get(), object);
        var mistakes = new MistakeCollector();
        if (isStrict() || kind.group().equals(SECURITY)) {
            mistakes.addAll(Schemas.all().check(group, version, kindName, object));
        }
        subject.name = bestName(object);
        if (!concerns(kind, mistakes.rest(object))) {
            id(kind, object).ifPresent(id -> subject.id = id);
            return new Reading.Skipped(kindName, mistakes.mistakes().problems(subject.toString()));
        }
        try {
            if (kind.reader().protects()) {
                checkPlace(meta);
            }
            subject.id = new ManifestId(kind.type(), metadata.key(kind, meta));
        } catch (MisreadException e) {
            mistakes.add(e);
            return new Reading.Bad(mistakes.mistakes().problems(subject.toString()), Optional.empty());
        }
        if (kind.scope() == ManifestKind.Scope.REVISION && !isOfOurRevision(meta)) {
            return new Reading.Skipped(group + "/" + kindName + " of another revision");
        }
        return read(kind.reader(), object, ages, mistakes, subject);
    }

    /// A field that nobody knows may be the namespace: then it is not known which object this is.
    private static void checkPlace(Field meta) {
        if (!meta.at("namespace").isPresent()) {
            ExactFields.checkKnown(meta, METADATA);
        }
    }

    private boolean isStrict() {
        return config.strictness() == Strictness.EVERY_KIND;
    }

    private static boolean concerns(ManifestKind kind, Field object) {
        try {
            return kind.reader().concerns(object);
        } catch (MisreadException _) {
            return true; // as far as one can tell
        }
    }

    /// An object with mistakes is refused, unless its kind knows what is in force of it meanwhile.
    private Reading read(KindReader reader, Field object, Ages ages, MistakeCollector mistakes, Subject subject) {
        var id = Objects.requireNonNull(subject.id);
        var line = object.position().line();
        @Nullable Metadata common = null;
        @Nullable Manifest manifest = null;
        for (var again = true; again && manifest == null; ) {
            try {
                var rest = mistakes.rest(object);
                common = metadata.read(id, rest.at("metadata"), ages);
                manifest = reader.read(common, rest, interner);
            } catch (MisreadException e) {
                again = mistakes.add(e);
            }
        }
        var warnings = warnings(id, object, subject);
        if (mistakes.isEmpty() && manifest != null) {
            return new Reading.Good(manifest, line, warnings, object.tree());
        }
        var all = mistakes.mistakes();
        var problems = new ArrayList<>(all.problems(subject.toString()));
        problems.addAll(warnings);
        var known = common == null ? bare(id, ages) : common;
        return reader.readDamaged(known, object, all, interner)
                .<Reading>map(damaged -> new Reading.Good(damaged, line, withEffect(problems, damaged), object.tree()))
                .orElseGet(() -> new Reading.Bad(problems, Optional.of(id)));
    }

    /// An object that protects something does not get lost for a mistake in its labels.
    private static Metadata bare(ManifestId id, Ages ages) {
        return new Metadata(id.key(), "", Map.of(), Map.of(), ages.firstSeen(id), Metadata.Lifecycle.ACTIVE);
    }

    /// What its author has to know besides: what holds until the object is mended.
    private static List<ManifestProblem> withEffect(List<ManifestProblem> problems, Manifest manifest) {
        var first = problems.getFirst();
        var effect = manifest.damage()
                .map(damage -> new ManifestProblem(
                        first.file(),
                        first.line(),
                        first.object(),
                        "",
                        Problem.ofInput(
                                "policy-damaged",
                                "cannot be read as a whole: until it is mended it " + damage.inForce(),
                                "mend what else is said about it")));
        return Stream.concat(problems.stream(), effect.stream()).toList();
    }

    /// Labels and annotations that nobody knows. Objects that a controller makes are not looked at, nor are pods of an
    /// API server: their author wrote something else.
    private List<ManifestProblem> warnings(ManifestId id, Field object, Subject subject) {
        var meta = object.at("metadata");
        var made =
                meta.tree() instanceof Tree.Mapping mapping && mapping.entries().containsKey("ownerReferences");
        return made || (!isStrict() && id.kind() == PodManifest.class)
                ? List.of()
                : Schemas.all().checkMarks(meta).stream()
                        .map(mark ->
                                ManifestProblem.of(mark, subject.toString()).asWarning())
                        .toList();
    }

    /// A kind that exists, but not for a mesh, or not for this one.
    private static Reading skipped(String group, String version, String kind, Field object, Subject subject) {
        subject.name = bestName(object);
        var mistakes = new Mistakes(Schemas.all().check(group, version, kind, object));
        var problems = new ArrayList<>(mistakes.problems(subject.toString()));
        if (group.endsWith(".istio.io") || group.startsWith("gateway.networking.")) {
            var useless = object.at("kind")
                    .wrong("manifest-no-effect", "is " + kind + ", which has no effect here", "delete the object");
            problems.add(ManifestProblem.of(useless, subject.toString()).asWarning());
        }
        return new Reading.Skipped(group.isEmpty() ? kind : group + "/" + kind, problems);
    }

    /// A kind that nobody serves: misspelt, or another project's, which is its own affair.
    private Reading unserved(Field object, String apiVersion, String kindName, Subject subject) {
        var meant = MeantKind.of(apiVersion, kindName, object);
        if (meant.isEmpty() || meant.get().mistakes().isEmpty()) {
            var slash = apiVersion.indexOf('/');
            return new Reading.Skipped(slash < 0 ? kindName : apiVersion.substring(0, slash + 1) + kindName);
        }
        subject.name = bestName(object);
        var kind = meant.get();
        var mistakes = new MistakeCollector();
        mistakes.addAll(kind.mistakes());
        mistakes.addAll(Schemas.all().check(kind.group(), kind.version(), kind.kind(), object));
        var read = ManifestKinds.find(kind.group(), kind.kind());
        var id = read.flatMap(meantKind -> id(meantKind, object));
        id.ifPresent(known -> subject.id = known);
        var problems = mistakes.mistakes().problems(subject.toString());
        if (read.isEmpty() && !kind.kind().isEmpty()) {
            return new Reading.Skipped(kind.kind(), problems); // nothing that was in force before
        }
        return new Reading.Bad(problems, id);
    }

    private Optional<ManifestId> id(ManifestKind kind, Field object) {
        try {
            var meta = object.at("metadata");
            var concrete = concrete(kind, object);
            return Optional.of(new ManifestId(concrete.type(), metadata.key(concrete, meta)));
        } catch (MisreadException _) {
            return Optional.empty();
        }
    }

    private static String bestName(Field object) {
        try {
            var namespace = object.at("metadata").at("namespace").text();
            var name = object.at("metadata").at("name").text();
            return namespace.isEmpty() || name.isEmpty() ? name : namespace + "/" + name;
        } catch (MisreadException _) {
            return "";
        }
    }

    /// ConfigMaps hold different things.
    private ManifestKind concrete(ManifestKind kind, Field object) {
        var meta = object.at("metadata");
        if (!kind.isMeshConfig() || isMeshConfig(meta)) {
            return kind;
        }
        return TrustBundleObject.isOne(object) && isInSystemNamespace(meta)
                ? ManifestKinds.trustBundle()
                : ManifestKinds.caBundle();
    }

    private boolean isMeshConfig(Field meta) {
        return meta.at("name").text().equals(config.meshConfigMap()) && isInSystemNamespace(meta);
    }

    private boolean isInSystemNamespace(Field meta) {
        return meta.at("namespace").text("default").equals(config.systemNamespace());
    }

    private boolean isOfOurRevision(Field meta) {
        try {
            var revision = meta.at("labels").at("istio.io/rev");
            return !revision.isPresent()
                    || config.revision().isEmpty()
                    || revision.text().equals(config.revision());
        } catch (MisreadException _) {
            return true; // as far as one can tell
        }
    }

    /// What is known so far of the object being read, for messages.
    private static final class Subject {
        private String kind = "";
        private String name = "";
        private @Nullable ManifestId id;

        private Reading.Bad bad(MisreadException mistake) {
            return new Reading.Bad(List.of(ManifestProblem.of(mistake, toString())), Optional.ofNullable(id));
        }

        @Override
        public String toString() {
            if (id != null) {
                return kind + " " + id.key().path();
            }
            return name.isEmpty() ? kind : kind + " " + name;
        }
    }
}
