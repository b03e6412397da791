// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.binary;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.JsonList;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/// Objects, lists and events in the binary form. An object begins with four bytes that say so and is then wrapped in a
/// message that tells its kind. For one thread at a time.
public final class BinaryObjects {
    /// What the API server calls the form.
    public static final String TYPE = "application/vnd.kubernetes.protobuf";

    /// The kinds that can be read so, in lower case and plural, as in paths.
    private static final Set<String> RESOURCES = Set.of("pods", "services", "endpointslices");

    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final int FIRST = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    private static final int SECOND = 2 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    private static final MessageForm TYPE_META =
            MessageForm.of(MessageForm.FieldForm.text(1, "apiVersion"), MessageForm.FieldForm.text(2, "kind"));

    /// One event of a watch.
    public record BinaryEvent(String type, Tree.Mapping object) {}

    private interface Reading<T> {
        T read(CodedInputStream in) throws IOException;
    }

    private BinaryObjects() {}

    /// Whether all fields that manifests of a kind are read from are known.
    ///
    /// @param plural in lower case, as in paths
    public static boolean isKnown(String plural) {
        return RESOURCES.contains(plural);
    }

    /// Hands over the items of a list, each with its kind, and returns the rest of the list.
    ///
    /// @throws MisreadException when it is something else
    public static Tree list(InputStream body, JsonList.Items items) throws IOException {
        return guarded(() -> CodedInputStream.newInstance(body, 64 * 1024), in -> list(in, items));
    }

    /// One object, such as the status of a call that failed.
    public static Tree.Mapping object(byte[] bytes) throws IOException {
        return guarded(() -> CodedInputStream.newInstance(bytes), BinaryObjects::object);
    }

    /// One event, without the length that is before it.
    public static BinaryEvent event(byte[] bytes, int length) throws IOException {
        return guarded(() -> CodedInputStream.newInstance(bytes, 0, length), BinaryObjects::event);
    }

    private static <T> T guarded(Supplier<CodedInputStream> open, Reading<T> reading) throws IOException {
        try {
            return reading.read(open.get());
        } catch (InvalidProtocolBufferException e) {
            throw new MisreadException(
                    MessageReader.NOWHERE,
                    "",
                    Problem.ofInput(
                            "kube-bad-message", String.valueOf(e.getMessage()), "report this as a bug of Fathom"));
        }
    }

    private static Tree list(CodedInputStream in, JsonList.Items items) throws IOException {
        var rest = new LinkedHashMap<String, Tree>();
        header(in, rest);
        var kind = text(rest, "kind");
        if (!kind.endsWith("List")) {
            throw new InvalidProtocolBufferException("is a " + kind + " and no list");
        }
        var form = form(kind.substring(0, kind.length() - "List".length()));
        var itemKind = Json.of(kind.substring(0, kind.length() - "List".length()));
        var end = in.pushLimit(in.readRawVarint32());
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case FIRST -> {
                    var metadata = MessageReader.nested(in, BinaryKinds.LIST_METADATA, new LinkedHashMap<>());
                    rest.put("metadata", new Tree.Mapping(MessageReader.NOWHERE, metadata));
                }
                case SECOND -> {
                    var item = new LinkedHashMap<String, Tree>();
                    item.put("apiVersion", apiVersion(rest));
                    item.put("kind", itemKind);
                    items.item(rest, new Tree.Mapping(MessageReader.NOWHERE, MessageReader.nested(in, form, item)));
                }
                default -> in.skipField(tag);
            }
        }
        in.popLimit(end);
        skipRest(in);
        return new Tree.Mapping(MessageReader.NOWHERE, rest);
    }

    private static Tree.Mapping object(CodedInputStream in) throws IOException {
        var entries = new LinkedHashMap<String, Tree>();
        header(in, entries);
        MessageReader.nested(in, form(text(entries, "kind")), entries);
        skipRest(in);
        return new Tree.Mapping(MessageReader.NOWHERE, entries);
    }

    private static BinaryEvent event(CodedInputStream in) throws IOException {
        var type = "";
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case FIRST -> type = in.readString();
                case SECOND -> {
                    var limit = in.pushLimit(in.readRawVarint32());
                    if (in.readTag() == FIRST) {
                        var inner = in.pushLimit(in.readRawVarint32());
                        var object = object(in);
                        in.popLimit(inner);
                        skipRest(in);
                        in.popLimit(limit);
                        return new BinaryEvent(type, object);
                    }
                    throw new InvalidProtocolBufferException("an event without an object");
                }
                default -> in.skipField(tag);
            }
        }
        throw new InvalidProtocolBufferException("an event without an object");
    }

    /// Up to the content itself, whose length comes next.
    private static void header(CodedInputStream in, Map<String, Tree> entries) throws IOException {
        for (var expected : MAGIC) {
            if (in.readRawByte() != expected) {
                throw new InvalidProtocolBufferException("is not in the binary form of Kubernetes");
            }
        }
        for (var tag = in.readTag(); tag != SECOND; tag = in.readTag()) {
            switch (tag) {
                case FIRST -> MessageReader.nested(in, TYPE_META, entries);
                case 0 -> throw new InvalidProtocolBufferException("an object without content");
                default -> in.skipField(tag);
            }
        }
    }

    private static void skipRest(CodedInputStream in) throws IOException {
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            in.skipField(tag);
        }
    }

    private static MessageForm form(String kind) throws IOException {
        return BinaryKinds.form(kind)
                .orElseThrow(() -> new InvalidProtocolBufferException("is a " + kind + ", which was not asked for"));
    }

    private static Tree apiVersion(Map<String, Tree> entries) {
        return entries.getOrDefault("apiVersion", Json.of(""));
    }

    private static String text(Map<String, Tree> entries, String name) {
        return entries.get(name) instanceof Tree.Scalar scalar ? scalar.text() : "";
    }
}
