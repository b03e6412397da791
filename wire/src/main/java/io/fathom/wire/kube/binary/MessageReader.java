// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.binary;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.fathom.wire.kube.binary.MessageForm.Count;
import io.fathom.wire.kube.binary.MessageForm.FieldForm;
import io.fathom.wire.kube.binary.MessageForm.Nested;
import io.fathom.wire.kube.binary.MessageForm.Plain;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Position;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Trees from messages, as JSON would give them. A server writes text that is empty and times that are none, where JSON
/// has nothing: these are left out.
final class MessageReader {
    static final Position NOWHERE = new Position("", 0);

    private MessageReader() {}

    /// The rest of a message into `entries`, up to the limit of `in`.
    static void read(CodedInputStream in, MessageForm form, Map<String, Tree> entries) throws IOException {
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            var field = form.field(WireFormat.getTagFieldNumber(tag));
            if (field == null) {
                in.skipField(tag);
                continue;
            }
            check(tag, field);
            if (field.content() == Plain.TEXT_MAP) {
                entry(in, mapping(entries, field.name()));
                continue;
            }
            var value = value(in, field);
            if (value != null) {
                if (field.count() == Count.MANY) {
                    sequence(entries, field.name()).add(value);
                } else {
                    entries.put(field.name(), value);
                }
            }
        }
    }

    /// A message that says its length.
    static Map<String, Tree> nested(CodedInputStream in, MessageForm form, Map<String, Tree> entries)
            throws IOException {
        var limit = in.pushLimit(in.readRawVarint32());
        read(in, form, entries);
        in.popLimit(limit);
        return entries;
    }

    private static void check(int tag, FieldForm field) throws IOException {
        var wanted = switch (field.content()) {
            case Plain plain ->
                switch (plain) {
                    case FLAG, NUMBER -> WireFormat.WIRETYPE_VARINT;
                    case TEXT, NUMBER_OR_TEXT, TIME, TEXT_MAP -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
                };
            case Nested _ -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
        };
        if (WireFormat.getTagWireType(tag) != wanted) {
            throw new InvalidProtocolBufferException("field " + field.name() + " has another form");
        }
    }

    /// None where JSON would have none.
    private static @Nullable Tree value(CodedInputStream in, FieldForm field) throws IOException {
        return switch (field.content()) {
            case Plain plain ->
                switch (plain) {
                    case TEXT -> {
                        var text = in.readString();
                        yield text.isEmpty() && field.count() == Count.ONE ? null : Json.of(text);
                    }
                    case FLAG -> Json.of(in.readBool());
                    case NUMBER -> Json.of(in.readInt64());
                    case NUMBER_OR_TEXT -> numberOrText(in);
                    case TIME -> time(in);
                    case TEXT_MAP -> throw new IllegalStateException("read by entries");
                };
            case Nested(var form) -> new Tree.Mapping(NOWHERE, nested(in, form, new LinkedHashMap<>()));
        };
    }

    private static Tree numberOrText(CodedInputStream in) throws IOException {
        var isText = false;
        var number = 0L;
        var text = "";
        var limit = in.pushLimit(in.readRawVarint32());
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case 1 << 3 -> isText = in.readInt64() == 1;
                case 2 << 3 -> number = in.readInt64();
                case 3 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED -> text = in.readString();
                default -> in.skipField(tag);
            }
        }
        in.popLimit(limit);
        return isText ? Json.of(text) : Json.of(number);
    }

    private static @Nullable Tree time(CodedInputStream in) throws IOException {
        var seconds = 0L;
        var limit = in.pushLimit(in.readRawVarint32());
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == 1 << 3) {
                seconds = in.readInt64();
            } else {
                in.skipField(tag); // JSON has whole seconds, too
            }
        }
        in.popLimit(limit);
        return seconds == 0 ? null : Json.of(Instant.ofEpochSecond(seconds).toString());
    }

    private static void entry(CodedInputStream in, Map<String, Tree> entries) throws IOException {
        var key = "";
        var value = "";
        var limit = in.pushLimit(in.readRawVarint32());
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED -> key = in.readString();
                case 2 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED -> value = in.readString();
                default -> in.skipField(tag);
            }
        }
        in.popLimit(limit);
        entries.put(key, Json.of(value));
    }

    private static Map<String, Tree> mapping(Map<String, Tree> entries, String name) {
        if (entries.get(name) instanceof Tree.Mapping found) {
            return found.entries();
        }
        var fresh = new LinkedHashMap<String, Tree>();
        entries.put(name, new Tree.Mapping(NOWHERE, fresh));
        return fresh;
    }

    private static List<Tree> sequence(Map<String, Tree> entries, String name) {
        if (entries.get(name) instanceof Tree.Sequence found) {
            return found.items();
        }
        var fresh = new ArrayList<Tree>();
        entries.put(name, new Tree.Sequence(NOWHERE, fresh));
        return fresh;
    }
}
