// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// Makes responses; splits those that a client could not take in one piece. Thread-safe.
public final class ResponseFactory {
    /// Only clients that ask by alias need to be told of aliases.
    public enum Aliases {
        SENT,
        OMITTED
    }

    /// Up to here a response is kept as bytes, for all streams that send it.
    private static final int INLINE_LIMIT = 64 * 1024;

    private static final int SEND_BUFFER = 64 * 1024;

    private final int chunkBytes;
    private final AtomicLong nonces = new AtomicLong();

    ResponseFactory(int chunkBytes) {
        this.chunkBytes = chunkBytes;
    }

    /// None when there is nothing to say.
    List<XdsResponse> delta(
            XdsType type, StoreCut cut, List<XdsResource> resources, List<String> removed, Aliases aliases) {
        return resources.isEmpty() && removed.isEmpty() ? List.of() : reply(type, cut, resources, removed, aliases);
    }

    /// At least one response: a client waits for it.
    public List<XdsResponse> reply(
            XdsType type, StoreCut cut, List<XdsResource> resources, List<String> removed, Aliases aliases) {
        var frames = new Frames(type, aliases);
        var responses = new ArrayList<XdsResponse>();
        var firstResource = 0;
        var firstRemoved = 0;
        var at = 0;
        var size = 0L;
        for (; at < resources.size() + removed.size(); at++) {
            var next = at < resources.size()
                    ? frames.deltaFieldSize(resources.get(at))
                    : CodedOutputStream.computeStringSize(6, removed.get(at - resources.size()));
            if (size + next > chunkBytes && size > 0) {
                var nextResource = Math.min(at, resources.size());
                var nextRemoved = at - nextResource;
                responses.add(deltaChunk(
                        type,
                        cut,
                        resources.subList(firstResource, nextResource),
                        removed.subList(firstRemoved, nextRemoved),
                        frames,
                        (int) size));
                firstResource = nextResource;
                firstRemoved = nextRemoved;
                size = 0;
            }
            size += next;
        }
        responses.add(deltaChunk(
                type,
                cut,
                resources.subList(firstResource, resources.size()),
                removed.subList(firstRemoved, removed.size()),
                frames,
                (int) size));
        return responses;
    }

    private XdsResponse deltaChunk(
            XdsType type, StoreCut cut, List<XdsResource> resources, List<String> removed, Frames frames, int items) {
        var head = new Head(type, cut.version(), nonce(cut));
        return response(cut, resources.size(), removed.size(), new Content(head, items) {
            @Override
            void writeItems(CodedOutputStream out) throws IOException {
                for (var resource : resources) {
                    frames.writeDelta(out, resource);
                }
                for (var name : removed) {
                    out.writeString(6, name);
                }
            }
        });
    }

    /// Everything the client subscribes to; such a response cannot be split.
    public XdsResponse stateOfTheWorld(XdsType type, StoreCut cut, List<XdsResource> resources) {
        var frames = new Frames(type, Aliases.OMITTED);
        var items = 0;
        for (var resource : resources) {
            items = Math.addExact(items, frames.anyFieldSize(resource));
        }
        var head = new Head(type, cut.version(), nonce(cut));
        return response(cut, resources.size(), 0, new Content(head, items) {
            @Override
            void writeItems(CodedOutputStream out) throws IOException {
                for (var resource : resources) {
                    frames.writeAny(out, resource);
                }
            }
        });
    }

    /// Unique in this process, so it means one response on every stream that it is sent on.
    private String nonce(StoreCut cut) {
        return cut.version() + "/" + nonces.incrementAndGet();
    }

    private static XdsResponse response(StoreCut cut, int resources, int removed, Content content) {
        var body = content.size() <= INLINE_LIMIT ? new Bytes(content.bytes()) : content;
        var head = content.head;
        return new XdsResponse(head.type(), head.version(), head.nonce(), resources, removed, cut.nanos(), body);
    }

    private record Head(XdsType type, String version, String nonce) {
        int size() {
            return CodedOutputStream.computeStringSize(1, version)
                    + CodedOutputStream.computeStringSize(4, type.url())
                    + CodedOutputStream.computeStringSize(5, nonce);
        }

        void writeTo(CodedOutputStream out) throws IOException {
            out.writeString(1, version);
            out.writeString(4, type.url());
            out.writeString(5, nonce);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared, and not to be changed
    public record Bytes(byte[] bytes) implements XdsResponse.ResponseBody {
        @Override
        public int size() {
            return bytes.length;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            out.write(bytes);
        }
    }

    /// Written from the resources the first time. When many clients want it, as after a restart, the bytes are shared
    /// for as long as the garbage collector lets them live.
    private abstract static class Content implements XdsResponse.ResponseBody {
        private final Head head;
        private final int size;
        private final AtomicBoolean written = new AtomicBoolean();
        private volatile WeakReference<byte[]> copy = new WeakReference<>(null);

        Content(Head head, int items) {
            this.head = head;
            this.size = Math.addExact(head.size(), items);
        }

        abstract void writeItems(CodedOutputStream out) throws IOException;

        @Override
        public int size() {
            return size;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            if (written.compareAndSet(false, true)) {
                var coded = CodedOutputStream.newInstance(out, SEND_BUFFER);
                head.writeTo(coded);
                writeItems(coded);
                coded.flush();
                return;
            }
            var bytes = copy.get();
            if (bytes == null) {
                bytes = bytes();
                copy = new WeakReference<>(bytes);
            }
            out.write(bytes);
        }

        byte[] bytes() {
            var bytes = new byte[size];
            var coded = CodedOutputStream.newInstance(bytes);
            try {
                head.writeTo(coded);
                writeItems(coded);
            } catch (IOException e) {
                throw new UncheckedIOException("an array takes what was measured", e);
            }
            coded.checkNoSpaceLeft();
            return bytes;
        }
    }
}
