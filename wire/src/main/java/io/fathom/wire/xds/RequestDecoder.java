// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.InitialVersions;
import io.fathom.wire.xds.stream.StreamRejection;
import io.fathom.wire.xds.stream.XdsRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads requests straight from the stream: a reconnecting client may name a million resources, and generated code
/// would build several objects for each. Refuses more names than allowed before it has read them all.
final class RequestDecoder {
    /// Generous for a message that people read.
    private static final int ERROR_LIMIT = 4_096;
    /// Enough to read a million names quickly. Most requests are acknowledgements of some hundred bytes.
    private static final int LARGEST_BUFFER = 64 * 1024;

    private final int maxNames;

    private @Nullable ByteString node;
    private String type = "";
    private final List<String> subscribe = new ArrayList<>();
    private final List<String> unsubscribe = new ArrayList<>();
    private InitialVersions initial = InitialVersions.NONE;
    private String nonce = "";
    private Optional<String> error = Optional.empty();

    private RequestDecoder(int maxNames) {
        this.maxNames = maxNames;
    }

    /// @throws StreamRejection for bytes that are no request, or one with too many names
    static XdsRequest delta(InputStream in, int size, int maxNames) {
        return new RequestDecoder(maxNames).read(in, size, RequestDecoder::deltaField);
    }

    /// @throws StreamRejection for bytes that are no request, or one with too many names
    static XdsRequest stateOfTheWorld(InputStream in, int size, int maxNames) {
        return new RequestDecoder(maxNames).read(in, size, RequestDecoder::sotwField);
    }

    private interface Field {
        /// False when the field is not known.
        boolean read(RequestDecoder decoder, CodedInputStream in, int tag) throws IOException;
    }

    private XdsRequest read(InputStream stream, int size, Field field) {
        var in = CodedInputStream.newInstance(stream, Math.clamp(size, 1, LARGEST_BUFFER));
        in.setSizeLimit(Integer.MAX_VALUE);
        try {
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                if (!field.read(this, in, tag)) {
                    in.skipField(tag);
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw StreamRejection.invalid("malformed request: " + e.getMessage());
        } catch (IOException e) {
            throw StreamRejection.unavailable("request interrupted: " + e.getMessage());
        }
        return new XdsRequest(
                Optional.ofNullable(node), new XdsType(type), subscribe, unsubscribe, initial, nonce, error, size);
    }

    private boolean deltaField(CodedInputStream in, int tag) throws IOException {
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            return false;
        }
        switch (WireFormat.getTagFieldNumber(tag)) {
            case DeltaDiscoveryRequest.NODE_FIELD_NUMBER -> node = in.readBytes();
            case DeltaDiscoveryRequest.TYPE_URL_FIELD_NUMBER -> type = in.readStringRequireUtf8();
            case DeltaDiscoveryRequest.RESOURCE_NAMES_SUBSCRIBE_FIELD_NUMBER -> name(in, subscribe);
            case DeltaDiscoveryRequest.RESOURCE_NAMES_UNSUBSCRIBE_FIELD_NUMBER -> name(in, unsubscribe);
            case DeltaDiscoveryRequest.INITIAL_RESOURCE_VERSIONS_FIELD_NUMBER -> version(in);
            case DeltaDiscoveryRequest.RESPONSE_NONCE_FIELD_NUMBER -> nonce = in.readStringRequireUtf8();
            case DeltaDiscoveryRequest.ERROR_DETAIL_FIELD_NUMBER -> error = Optional.of(status(in));
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean sotwField(CodedInputStream in, int tag) throws IOException {
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            return false;
        }
        switch (WireFormat.getTagFieldNumber(tag)) {
            case DiscoveryRequest.NODE_FIELD_NUMBER -> node = in.readBytes();
            case DiscoveryRequest.RESOURCE_NAMES_FIELD_NUMBER -> name(in, subscribe);
            case DiscoveryRequest.TYPE_URL_FIELD_NUMBER -> type = in.readStringRequireUtf8();
            case DiscoveryRequest.RESPONSE_NONCE_FIELD_NUMBER -> nonce = in.readStringRequireUtf8();
            case DiscoveryRequest.ERROR_DETAIL_FIELD_NUMBER -> error = Optional.of(status(in));
            default -> {
                return false;
            }
        }
        return true;
    }

    private void name(CodedInputStream in, List<String> names) throws IOException {
        count();
        names.add(in.readStringRequireUtf8());
    }

    /// An entry of a map: key 1, value 2.
    private void version(CodedInputStream in) throws IOException {
        count();
        if (initial == InitialVersions.NONE) {
            initial = new InitialVersions();
        }
        var key = "";
        var value = "";
        var outer = in.pushLimit(in.readRawVarint32());
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == (1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
                key = in.readStringRequireUtf8();
            } else if (tag == (2 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
                value = in.readStringRequireUtf8();
            } else {
                in.skipField(tag);
            }
        }
        in.popLimit(outer);
        initial.add(key, value);
    }

    private static String status(CodedInputStream in) throws IOException {
        var message = com.google.rpc.Status.parseFrom(in.readBytes()).getMessage();
        return message.length() > ERROR_LIMIT ? message.substring(0, ERROR_LIMIT) : message;
    }

    private void count() {
        if (subscribe.size() + unsubscribe.size() + initial.size() >= maxNames) {
            throw StreamRejection.exhausted("a request may name at most " + maxNames + " resources");
        }
    }
}
