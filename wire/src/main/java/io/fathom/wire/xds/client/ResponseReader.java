package io.fathom.wire.xds.client;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import java.io.IOException;
import java.io.InputStream;

/// Reads a `DeltaDiscoveryResponse` piece by piece, as the first one may hold the whole mesh: at no time are there
/// more messages in memory than the resource at hand.
final class ResponseReader {
    private static final int SYSTEM_VERSION = 1;
    private static final int RESOURCES = 2;
    private static final int TYPE_URL = 4;
    private static final int NONCE = 5;
    private static final int REMOVED = 6;

    /// Takes the parts in the order in which they come: the type usually after the resources.
    interface Visitor {
        void resource(Resource resource);

        /// A resource that cannot even be taken apart.
        void broken(String reason);

        void removed(String name);

        void type(String url);

        void nonce(String nonce);

        void systemVersion(String version);
    }

    private ResponseReader() {}

    /// Tells the visitor all there is.
    ///
    /// @throws IOException when the response itself cannot be taken apart
    static void read(InputStream message, Visitor visitor) throws IOException {
        var in = CodedInputStream.newInstance(message);
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if ((tag & 7) != 2) {
                in.skipField(tag);
                continue;
            }
            switch (tag >>> 3) {
                case SYSTEM_VERSION -> visitor.systemVersion(in.readStringRequireUtf8());
                case RESOURCES -> resource(in.readByteArray(), visitor);
                case TYPE_URL -> visitor.type(in.readStringRequireUtf8());
                case NONCE -> visitor.nonce(in.readStringRequireUtf8());
                case REMOVED -> visitor.removed(in.readStringRequireUtf8());
                default -> in.skipField(tag);
            }
        }
    }

    private static void resource(byte[] bytes, Visitor visitor) {
        try {
            visitor.resource(Resource.parseFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            visitor.broken(String.valueOf(e.getMessage()));
        }
    }
}
