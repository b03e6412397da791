// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/// Keeps the root in one file that only its owner can read, written as the manifest of the Secret it would be in a
/// cluster. Replaced as a whole; a lock beside it keeps two processes from doing so at once. A file that others can
/// read is refused.
public final class FileRootStore implements RootStore {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final Object PROCESS_LOCK = new Object(); // file locks are held by the process, not by the thread

    private final Path file;

    public FileRootStore(Path file) {
        this.file = file.toAbsolutePath();
    }

    @Override
    public Optional<Content> read() {
        try {
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            var permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
            if (!permissions.endsWith("------")) {
                throw problem(
                        "ca-file-open", file + " can be read by others (" + permissions + ")", "chmod 600 " + file);
            }
            return Optional.of(parse(Files.readString(file)));
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    @Override
    public boolean replace(Optional<Content> expected, Content content) {
        synchronized (PROCESS_LOCK) {
            try {
                Files.createDirectories(folder());
                try (var lock = FileChannel.open(
                                file.resolveSibling(file.getFileName() + ".lock"),
                                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                                OWNER_ONLY);
                        var _ = lock.lock()) {
                    if (!read().equals(expected)) {
                        return false;
                    }
                    write(content);
                    return true;
                }
            } catch (IOException e) {
                throw unusable(e);
            }
        }
    }

    private void write(Content content) throws IOException {
        var temporary = Files.createTempFile(folder(), ".ca", ".tmp", OWNER_ONLY);
        try {
            try (var channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                var bytes = ByteBuffer.wrap(format(content).getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private Path folder() {
        var folder = file.getParent();
        return folder == null ? Path.of("/") : folder;
    }

    private static String format(Content content) {
        var text = new StringBuilder();
        text.append(
                "apiVersion: v1\nkind: Secret\nmetadata:\n  name: istio-ca-secret\ntype: istio.io/ca-root\ndata:\n");
        var encoder = Base64.getEncoder();
        new TreeMap<>(content.entries())
                .forEach((name, value) -> text.append("  ")
                        .append(name)
                        .append(": \"")
                        .append(encoder.encodeToString(value.getBytes(StandardCharsets.UTF_8)))
                        .append("\"\n"));
        return text.toString();
    }

    private Content parse(String text) {
        try {
            var loaded = new Load(LoadSettings.builder().build()).loadFromString(text);
            if (loaded instanceof Map<?, ?> secret && secret.get("data") instanceof Map<?, ?> data) {
                var entries = new LinkedHashMap<String, String>();
                data.forEach((name, value) -> entries.put(
                        String.valueOf(name),
                        new String(Base64.getDecoder().decode(String.valueOf(value)), StandardCharsets.UTF_8)));
                return new Content(entries);
            }
        } catch (YamlEngineException | IllegalArgumentException e) {
            // told below, without the content
        }
        throw problem("ca-file-damaged", file + " is not a Secret with a root", "restore it from a copy, or delete it");
    }

    private ProblemException unusable(IOException cause) {
        return problem(
                "ca-file-unusable",
                file + " cannot be used: " + cause.getClass().getSimpleName(),
                "check that the folder exists and is ours");
    }

    private static ProblemException problem(String code, String message, String fix) {
        return new ProblemException(new Problem(code, message, fix, Origin.SERVER, Retry.POINTLESS));
    }
}
