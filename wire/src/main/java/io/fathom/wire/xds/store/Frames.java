// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// How resources of one type stand in a response: sizes and bytes of the `Resource` of delta and the `Any` of state of
/// the world. A first answer may hold tens of thousands, so what is the same for all is encoded once. Thread-safe.
final class Frames {
    private static final int LENGTH_DELIMITED = WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private final boolean bare;
    private final ResponseFactory.Aliases aliases;
    /// The field `type_url` of an Any, complete with its header.
    private final byte[] typeUrl;

    Frames(XdsType type, ResponseFactory.Aliases aliases) {
        this.bare = type.equals(XdsType.WORKLOAD);
        this.aliases = aliases;
        var url = type.url().getBytes(StandardCharsets.UTF_8);
        this.typeUrl = new byte[lengthDelimited(url.length)];
        var out = CodedOutputStream.newInstance(typeUrl);
        try {
            out.writeByteArray(1, url);
        } catch (IOException e) {
            throw new IllegalStateException("an array takes what was measured", e);
        }
    }

    /// With the field header in the response.
    int deltaFieldSize(XdsResource resource) {
        return lengthDelimited(deltaSize(resource, text(resource.name())));
    }

    /// With the field header in the response.
    int anyFieldSize(XdsResource resource) {
        return lengthDelimited(anySize(bodySize(resource)));
    }

    void writeDelta(CodedOutputStream out, XdsResource resource) throws IOException {
        var name = text(resource.name());
        out.writeTag(2, LENGTH_DELIMITED);
        out.writeUInt32NoTag(deltaSize(resource, name));
        writeVersion(out, resource.versionBits());
        writeAny(out, resource);
        out.writeString(3, resource.name());
        if (aliases == ResponseFactory.Aliases.SENT) {
            for (var alias : resource.sharedAliases()) {
                out.writeString(4, alias);
            }
        }
    }

    /// As field 2: its number in both a `Resource` and a state-of-the-world response.
    void writeAny(CodedOutputStream out, XdsResource resource) throws IOException {
        var size = bodySize(resource);
        var body = resource.sharedBody();
        out.writeTag(2, LENGTH_DELIMITED);
        out.writeUInt32NoTag(anySize(size));
        out.write(typeUrl, 0, typeUrl.length);
        out.writeTag(2, LENGTH_DELIMITED);
        out.writeUInt32NoTag(size);
        out.write(body, body.length - size, size);
    }

    private int deltaSize(XdsResource resource, int name) {
        var size = lengthDelimited(hexDigits(resource.versionBits()))
                + lengthDelimited(anySize(bodySize(resource)))
                + 1
                + name;
        if (aliases == ResponseFactory.Aliases.SENT) {
            for (var alias : resource.sharedAliases()) {
                size += 1 + text(alias);
            }
        }
        return size;
    }

    private int anySize(int bodySize) {
        return typeUrl.length + lengthDelimited(bodySize);
    }

    private int bodySize(XdsResource resource) {
        var body = resource.sharedBody();
        return bare ? body.length - View.workloadStart(body) : body.length;
    }

    private static void writeVersion(CodedOutputStream out, long version) throws IOException {
        var digits = hexDigits(version);
        out.writeTag(1, LENGTH_DELIMITED);
        out.writeUInt32NoTag(digits);
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            out.write((byte) Character.forDigit((int) (version >>> shift & 0xf), 16));
        }
    }

    private static int hexDigits(long version) {
        return Math.max(1, (Long.SIZE + 3 - Long.numberOfLeadingZeros(version)) / 4);
    }

    /// A text with its length.
    private static int text(String value) {
        return CodedOutputStream.computeStringSizeNoTag(value);
    }

    /// A field with a number below 16.
    private static int lengthDelimited(int size) {
        return 1 + CodedOutputStream.computeUInt32SizeNoTag(size) + size;
    }
}
