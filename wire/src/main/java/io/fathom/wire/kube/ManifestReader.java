package io.fathom.wire.kube;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Turns documents into manifests, filling in what the API server would have.
///
/// An object with mistakes is refused as a whole, unless it protects something: then what is left of it is in force,
/// see
/// [KindReader#readDamaged]. Other kinds are skipped. Equal parts of all objects that went through one reader are
/// shared.
/// One thread only.
public final class ManifestReader {
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
                readings.add(readOne(object, apiVersion, kind, ages, subject));
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

    private Reading readOne(Field object, String apiVersion, String kindName, Ages ages, Subject subject) {
        var slash = apiVersion.indexOf('/');
        var group = slash < 0 ? "" : apiVersion.substring(0, slash);
        var found = ManifestKinds.find(group, kindName);
        if (found.isEmpty() || !found.get().isServedIn(apiVersion.substring(slash + 1))) {
            refuseMisspelled(object, apiVersion, group, kindName, subject);
            return new Reading.Skipped(group.isEmpty() ? kindName : group + "/" + kindName);
        }
        var meta = object.at("metadata");
        var kind = found.get().isMeshConfig() && !isMeshConfig(meta) ? ManifestKinds.caBundle() : found.get();
        if (!kind.reader().concerns(object)) {
            return new Reading.Skipped(kindName);
        }
        var id = new ManifestId(kind.type(), metadata.key(kind, meta));
        subject.id = id;
        var common = metadata.read(id, meta, ages);
        if (kind.scope() == ManifestKind.Scope.REVISION && !isOfOurRevision(common)) {
            return new Reading.Skipped(group + "/" + kindName + " of another revision");
        }
        return read(kind.reader(), common, object, subject);
    }

    /// An object with mistakes is refused, unless its kind knows what is in force of it meanwhile.
    private Reading read(KindReader reader, Metadata common, Field object, Subject subject) {
        var line = object.position().line();
        var mistakes = new ArrayList<MisreadException>();
        if (mistakes.isEmpty()) {
            try {
                return new Reading.Good(reader.read(common, object, interner), line, List.of());
            } catch (MisreadException e) {
                mistakes.add(e);
            }
        }
        var all = new Mistakes(mistakes);
        var problems = all.problems(subject.toString());
        return reader.readDamaged(common, object, all, interner)
                .<Reading>map(manifest -> new Reading.Good(manifest, line, problems))
                .orElseGet(() -> new Reading.Bad(problems, Optional.ofNullable(subject.id)));
    }

    /// A kind of ours in a version that nobody serves is a mistake; one of another project's group is its own affair.
    private static void refuseMisspelled(
            Field object, String apiVersion, String group, String kindName, Subject subject) {
        var kind = ManifestKinds.find(group, kindName)
                .or(() -> ManifestKinds.similar(group, kindName).filter(_ -> mayBeMisspelled(group)));
        if (kind.isEmpty()) {
            return;
        }
        subject.name = bestName(object);
        var field = object.at("apiVersion");
        var fix = "write apiVersion: " + kind.get().apiVersion();
        throw apiVersion.isEmpty()
                ? field.missing(fix)
                : field.wrong(
                        "manifest-unsupported-version", "is " + apiVersion + ", which has no kind " + kindName, fix);
    }

    private static boolean mayBeMisspelled(String group) {
        return !group.contains(".") || group.endsWith(".k8s.io") || group.endsWith(".istio.io");
    }

    private static String bestName(Field object) {
        try {
            var namespace = object.at("metadata").at("namespace").text();
            var name = object.at("metadata").at("name").text();
            return namespace.isEmpty() ? name : namespace + "/" + name;
        } catch (MisreadException _) {
            return "";
        }
    }

    private boolean isMeshConfig(Field meta) {
        return meta.at("name").text().equals(config.meshConfigMap())
                && meta.at("namespace").text("default").equals(config.systemNamespace());
    }

    private boolean isOfOurRevision(Metadata common) {
        var revision = common.labels().get("istio.io/rev");
        return revision == null || config.revision().isEmpty() || revision.equals(config.revision());
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
