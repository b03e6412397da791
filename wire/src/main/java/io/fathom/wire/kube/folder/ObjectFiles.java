// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MergePatch;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// A folder that programs keep objects in, one to a file: what an API server is to a cluster, for one machine. A
/// [FolderSource] tells of the changes.
///
/// Each change is whole or not at all, also when the program dies in the middle. Any number of threads and programs may
/// write: they take turns by a lock on the folder. Whoever only reads waits for nobody.
public final class ObjectFiles {
    /// The system's locks belong to the program, so its threads need another one.
    private static final ReentrantLock TURN = new ReentrantLock();

    private static final String LOCK = ".lock";

    private final Path folder;

    private ObjectFiles(Path folder) {
        this.folder = folder;
    }

    /// What came of a patch.
    public enum Patched {
        DONE,
        /// Nothing was written, for the object is like that already.
        NO_CHANGE,
        ABSENT,
        /// There is an object of that name, but the patch names another `metadata.uid`.
        ANOTHER_UID
    }

    /// Makes the folder if there is none.
    public static ObjectFiles in(Path folder) throws ProblemException {
        try {
            return new ObjectFiles(Files.createDirectories(folder));
        } catch (IOException e) {
            throw unwritable(folder, e);
        }
    }

    public Path folder() {
        return folder;
    }

    /// Creates the object or replaces it as a whole.
    ///
    /// @param json with `kind` and `metadata.name`; those and `metadata.namespace` say which object it is
    public ObjectName put(String json) throws ProblemException {
        var object = parse(json, "the object to be written");
        var name = name(object);
        locked(() -> write(name, object));
        return name;
    }

    /// Changes parts of the object by a JSON merge patch. A `metadata.uid` in it is a condition.
    public Patched patch(ObjectName name, String mergePatch) throws ProblemException {
        var changes = parse(mergePatch, "the patch");
        return locked(() -> {
            var found = load(name);
            if (found.isEmpty()) {
                return Patched.ABSENT;
            }
            var before = found.get();
            var uid = uid(changes);
            if (!uid.isEmpty() && !uid.equals(uid(before))) {
                return Patched.ANOTHER_UID;
            }
            var after = MergePatch.apply(before, changes);
            if (Json.compact(after).equals(Json.compact(before))) {
                return Patched.NO_CHANGE;
            }
            write(name, after);
            return Patched.DONE;
        });
    }

    /// Whether there was one.
    public boolean delete(ObjectName name) throws ProblemException {
        return locked(() -> Files.deleteIfExists(folder.resolve(name.file())));
    }

    /// The object as JSON.
    public Optional<String> read(ObjectName name) throws ProblemException {
        try {
            return load(name).map(Json::compact);
        } catch (IOException e) {
            throw unwritable(folder, e);
        }
    }

    /// The names of all objects of that kind, in order of their files.
    public List<ObjectName> names(String kind) throws ProblemException {
        var names = new ArrayList<ObjectName>();
        try (var files = Files.newDirectoryStream(folder, "*.yaml")) {
            for (var file : files) {
                var parts =
                        file.getFileName().toString().replaceAll("\\.yaml$", "").split("_", -1);
                if (parts.length == 3 && parts[0].equalsIgnoreCase(kind)) {
                    names.add(new ObjectName(kind, parts[1], parts[2]));
                }
            }
        } catch (IOException e) {
            throw unwritable(folder, e);
        }
        names.sort(Comparator.comparing(ObjectName::file));
        return names;
    }

    private Optional<Tree> load(ObjectName name) throws IOException {
        var file = folder.resolve(name.file());
        try {
            return Optional.of(parse(Files.readString(file), file.toString()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private Path write(ObjectName name, Tree object) throws IOException {
        var hidden = folder.resolve("." + name.file() + ".new"); // one writer at a time, so one name is enough
        Files.writeString(hidden, Json.compact(object) + "\n");
        return Files.move(hidden, folder.resolve(name.file()), StandardCopyOption.ATOMIC_MOVE);
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    private <T> T locked(Work<T> work) {
        TURN.lock();
        try (var channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            return work.run();
        } catch (IOException e) {
            throw unwritable(folder, e);
        } finally {
            TURN.unlock();
        }
    }

    private static Tree parse(String json, String what) {
        var documents = Documents.ofJson(what, json, Limits.DEFAULT);
        if (documents.size() == 1 && documents.getFirst() instanceof Document.Parsed(Tree.Mapping root)) {
            return root;
        }
        throw new ProblemException(
                Problem.ofInput("object-not-json", what + " is not one JSON object", "write it as one JSON object"));
    }

    private static ObjectName name(Tree object) {
        try {
            return ObjectName.of(object);
        } catch (MisreadException | IllegalArgumentException e) {
            throw new ProblemException(Problem.ofInput(
                    "object-without-name", "an object cannot be kept: " + e.getMessage(), "name its kind and itself"));
        }
    }

    private static String uid(Tree object) {
        return Field.root(object).at("metadata").at("uid").text();
    }

    private static ProblemException unwritable(Path folder, IOException e) {
        return new ProblemException(new Problem(
                "object-folder-unusable",
                "objects cannot be kept in " + folder + ": " + e,
                "check that the folder exists and can be written to",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }
}
