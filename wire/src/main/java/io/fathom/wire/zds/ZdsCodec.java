// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.zds;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.posix.Descriptor;
import io.fathom.base.posix.SeqPacketSocket.Packet;
import io.fathom.base.posix.SeqPacketSocket.Truncation;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.PodResolver;
import io.fathom.wire.proto.zds.Ack;
import io.fathom.wire.proto.zds.AddWorkload;
import io.fathom.wire.proto.zds.DelWorkload;
import io.fathom.wire.proto.zds.KeepWorkload;
import io.fathom.wire.proto.zds.SnapshotSent;
import io.fathom.wire.proto.zds.Version;
import io.fathom.wire.proto.zds.WorkloadInfo;
import io.fathom.wire.proto.zds.WorkloadRequest;
import io.fathom.wire.proto.zds.WorkloadResponse;
import io.fathom.wire.proto.zds.ZdsHello;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Packets to messages and back. Stateless; refuses by throwing a problem, and then no descriptor stays open.
final class ZdsCodec {
    /// What both sides are prepared to read.
    static final int MOST_BYTES = 1024;

    /// A namespace, and what listens in it.
    static final int MOST_DESCRIPTORS = 1 + 16;

    private static final int LONGEST_ERROR = 900;

    private ZdsCodec() {}

    static byte[] hello() {
        return ZdsHello.newBuilder()
                .setVersion(Version.V1)
                .setHandsOverListeners(true)
                .build()
                .toByteArray();
    }

    static ZdsGreeting greeting(Packet packet) {
        try (packet) {
            checkWhole(packet);
            var hello = ZdsHello.parseFrom(packet.bytes());
            return new ZdsGreeting(
                    hello.getVersionValue(),
                    hello.getHandsOverListeners() ? ZdsGreeting.ListenerUse.HANDED_OVER : ZdsGreeting.ListenerUse.OWN);
        } catch (InvalidProtocolBufferException e) {
            throw ZdsProblem.malformed("the greeting is not a ZdsHello");
        }
    }

    /// Without listeners if those make it longer than the proxy reads, or are too many.
    static ZdsRequest fitting(ZdsRequest request) {
        if (request instanceof ZdsRequest.Add add && !add.listeners().isEmpty()) {
            var fits = add.listeners().size() < MOST_DESCRIPTORS && message(add).getSerializedSize() <= MOST_BYTES;
            return fits ? add : new ZdsRequest.Add(add.pod(), add.namespace());
        }
        return request;
    }

    static byte[] encode(ZdsRequest request) {
        var bytes = message(request).toByteArray();
        if (bytes.length > MOST_BYTES) {
            throw ZdsProblem.malformed(
                    "a request of " + bytes.length + " bytes, of which only " + MOST_BYTES + " would be read");
        }
        return bytes;
    }

    private static WorkloadRequest message(ZdsRequest request) {
        var message = WorkloadRequest.newBuilder();
        switch (request) {
            case ZdsRequest.Add add ->
                message.setAdd(AddWorkload.newBuilder()
                        .setUid(add.pod().uid())
                        .setWorkloadInfo(info(add.pod()))
                        .setKeepListeners(add.keeping() == ZdsRequest.Keeping.YES)
                        .addAllListeners(
                                add.listeners().stream().map(PodListener::name).toList()));
            case ZdsRequest.Keep keep ->
                message.setKeep(KeepWorkload.newBuilder().setUid(keep.uid()));
            case ZdsRequest.Delete delete ->
                message.setDel(DelWorkload.newBuilder().setUid(delete.uid()));
            case ZdsRequest.SnapshotSent ignored -> message.setSnapshotSent(SnapshotSent.getDefaultInstance());
        }
        return message.build();
    }

    private static WorkloadInfo.Builder info(PodInfo pod) {
        var info = WorkloadInfo.newBuilder()
                .setName(pod.name())
                .setNamespace(pod.namespace())
                .setServiceAccount(pod.serviceAccount());
        if (!pod.resolver().equals(PodResolver.NONE)) {
            var resolver = info.getResolverBuilder()
                    .addAllSearchDomains(pod.resolver().searchDomains())
                    .setAlone(pod.resolver().role() == PodResolver.Role.ALONE);
            pod.resolver().nameServers().forEach(server -> resolver.addNameServers(server.toString()));
        }
        return info;
    }

    private static PodResolver resolver(WorkloadInfo info) {
        if (!info.hasResolver()) {
            return PodResolver.NONE;
        }
        var resolver = info.getResolver();
        var servers = resolver.getNameServersList().stream()
                .flatMap(server -> Ip.parse(server).stream())
                .toList();
        var role = resolver.getAlone() ? PodResolver.Role.ALONE : PodResolver.Role.ADDED;
        return new PodResolver(servers, resolver.getSearchDomainsList(), role);
    }

    static List<Descriptor> descriptors(ZdsRequest request) {
        return request instanceof ZdsRequest.Add add
                ? Stream.concat(
                                Stream.of(add.namespace()),
                                add.listeners().stream().map(PodListener::socket))
                        .toList()
                : List.of();
    }

    /// Takes the packet's descriptors over.
    static ZdsRequest decodeRequest(Packet packet) {
        try {
            checkWhole(packet);
            return request(WorkloadRequest.parseFrom(packet.bytes()), packet.descriptors());
        } catch (InvalidProtocolBufferException e) {
            packet.close();
            throw ZdsProblem.malformed("it is not a WorkloadRequest");
        } catch (RuntimeException e) {
            packet.close();
            throw e;
        }
    }

    private static ZdsRequest request(WorkloadRequest message, List<Descriptor> descriptors) {
        var wanted = message.hasAdd() ? 1 + message.getAdd().getListenersCount() : 0;
        if (descriptors.size() != wanted) {
            throw ZdsProblem.malformed(
                    message.getPayloadCase() + " came with " + descriptors.size() + " descriptors, not " + wanted);
        }
        return switch (message.getPayloadCase()) {
            case ADD -> add(message.getAdd(), descriptors);
            case KEEP -> new ZdsRequest.Keep(message.getKeep().getUid());
            case DEL -> new ZdsRequest.Delete(message.getDel().getUid());
            case SNAPSHOT_SENT -> new ZdsRequest.SnapshotSent();
            case PAYLOAD_NOT_SET -> throw ZdsProblem.malformed("it asks for nothing that is known here");
        };
    }

    private static ZdsRequest add(AddWorkload add, List<Descriptor> descriptors) {
        if (!add.hasWorkloadInfo()) {
            throw ZdsProblem.malformed("pod " + add.getUid() + " came without workload_info");
        }
        var info = add.getWorkloadInfo();
        return new ZdsRequest.Add(
                new PodInfo(
                        add.getUid(), info.getName(), info.getNamespace(), info.getServiceAccount(), resolver(info)),
                descriptors.getFirst(),
                add.getKeepListeners() ? ZdsRequest.Keeping.YES : ZdsRequest.Keeping.NO,
                listeners(add.getListenersList(), descriptors.subList(1, descriptors.size())));
    }

    private static List<PodListener> listeners(List<String> names, List<Descriptor> sockets) {
        return IntStream.range(0, names.size())
                .mapToObj(i -> new PodListener(names.get(i), sockets.get(i)))
                .toList();
    }

    static byte[] encodeAck(Optional<String> error, List<String> listeners) {
        return WorkloadResponse.newBuilder()
                .setAck(Ack.newBuilder()
                        .setError(error.map(ZdsCodec::shortened).orElse(""))
                        .addAllListeners(listeners))
                .build()
                .toByteArray();
    }

    /// An error must not make the packet longer than the other side reads.
    private static String shortened(String error) {
        var bytes = error.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= LONGEST_ERROR) {
            return error.isEmpty() ? "refused" : error;
        }
        var end = LONGEST_ERROR;
        while ((bytes[end] & 0xc0) == 0x80) {
            end--; // not in the middle of a character
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /// Takes the packet's descriptors over.
    static ZdsAnswer decodeAnswer(Packet packet) {
        try {
            checkWhole(packet);
            var response = WorkloadResponse.parseFrom(packet.bytes());
            if (!response.hasAck()) {
                throw ZdsProblem.malformed("the answer is not an Ack");
            }
            var ack = response.getAck();
            if (ack.getListenersCount() != packet.descriptors().size()) {
                throw ZdsProblem.malformed("an answer with " + ack.getListenersCount() + " listeners came with "
                        + packet.descriptors().size() + " descriptors");
            }
            return new ZdsAnswer(
                    Optional.of(ack.getError()).filter(error -> !error.isEmpty()),
                    listeners(ack.getListenersList(), packet.descriptors()));
        } catch (InvalidProtocolBufferException e) {
            packet.close();
            throw ZdsProblem.malformed("the answer is not a WorkloadResponse");
        } catch (RuntimeException e) {
            packet.close();
            throw e;
        }
    }

    private static void checkWhole(Packet packet) {
        if (packet.truncated() != Truncation.NONE) {
            throw ZdsProblem.malformed(
                    packet.truncated() == Truncation.BYTES
                            ? "it has more than " + MOST_BYTES + " bytes"
                            : "it has too many descriptors");
        }
    }
}
