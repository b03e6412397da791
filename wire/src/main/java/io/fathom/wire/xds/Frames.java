package io.fathom.wire.xds;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/// How a resource stands in a response: sizes and bytes of the `Resource` of delta and the `Any` of state of the world.
final class Frames {
    private Frames() {}

    /// Sizes exclude the field header in the response.
    static int anySize(XdsType type, int bodySize) {
        return CodedOutputStream.computeStringSize(1, type.url()) + lengthDelimited(bodySize);
    }

    static void writeAny(CodedOutputStream out, XdsType type, byte[] body, int start) throws IOException {
        out.writeString(1, type.url());
        out.writeTag(2, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt32NoTag(body.length - start);
        out.write(body, start, body.length - start);
    }

    static int deltaSize(XdsType type, XdsResource resource, ResponseFactory.Aliases aliases) {
        var body = resource.sharedBody();
        var size = CodedOutputStream.computeStringSize(1, resource.version())
                + lengthDelimited(anySize(type, body.length - View.bodyStart(type, body)))
                + CodedOutputStream.computeStringSize(3, resource.name());
        if (aliases == ResponseFactory.Aliases.SENT) {
            for (var alias : resource.sharedAliases()) {
                size += CodedOutputStream.computeStringSize(4, alias);
            }
        }
        return size;
    }

    static void writeDelta(CodedOutputStream out, XdsType type, XdsResource resource, ResponseFactory.Aliases aliases)
            throws IOException {
        var body = resource.sharedBody();
        var start = View.bodyStart(type, body);
        out.writeString(1, resource.version());
        out.writeTag(2, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt32NoTag(anySize(type, body.length - start));
        writeAny(out, type, body, start);
        out.writeString(3, resource.name());
        if (aliases == ResponseFactory.Aliases.SENT) {
            for (var alias : resource.sharedAliases()) {
                out.writeString(4, alias);
            }
        }
    }

    /// A length-delimited field with a number below 16.
    static int lengthDelimited(int size) {
        return 1 + CodedOutputStream.computeUInt32SizeNoTag(size) + size;
    }
}
