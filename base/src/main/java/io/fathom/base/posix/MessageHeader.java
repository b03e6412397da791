// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// `struct msghdr` with room for bytes and for descriptors. Lives as long as its arena.
record MessageHeader(MemorySegment segment, MemorySegment data, MemorySegment control) {
    private static final int SIZE = 56;
    private static final int IOV = 16;
    private static final int IOV_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int FLAGS = 48;
    private static final int CMSG_HEADER = 16;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_CTRUNC = 0x08;
    private static final int MSG_TRUNC = 0x20;

    static MessageHeader sending(Arena arena, byte[] bytes, int[] descriptors) {
        var header = of(arena, bytes.length, descriptors.length);
        MemorySegment.copy(bytes, 0, header.data, JAVA_BYTE, 0, bytes.length);
        if (descriptors.length > 0) {
            header.control.set(JAVA_LONG, 0, CMSG_HEADER + 4L * descriptors.length);
            header.control.set(JAVA_INT, 8, SOL_SOCKET);
            header.control.set(JAVA_INT, 12, SCM_RIGHTS);
            MemorySegment.copy(descriptors, 0, header.control, JAVA_INT, CMSG_HEADER, descriptors.length);
        }
        return header;
    }

    static MessageHeader receiving(Arena arena, int mostBytes, int mostDescriptors) {
        return of(arena, mostBytes, mostDescriptors);
    }

    private static MessageHeader of(Arena arena, int bytes, int descriptors) {
        var data = arena.allocate(Math.max(bytes, 1), 8);
        var control = arena.allocate(descriptors == 0 ? 8 : CMSG_HEADER + padded(4L * descriptors), 8);
        var vector = arena.allocate(16, 8);
        vector.set(ADDRESS, 0, data);
        vector.set(JAVA_LONG, 8, bytes);
        var segment = arena.allocate(SIZE, 8);
        segment.set(ADDRESS, IOV, vector);
        segment.set(JAVA_LONG, IOV_COUNT, 1);
        segment.set(ADDRESS, CONTROL, descriptors == 0 ? MemorySegment.NULL : control);
        segment.set(JAVA_LONG, CONTROL_LENGTH, descriptors == 0 ? 0 : control.byteSize());
        return new MessageHeader(segment, data, control);
    }

    private static long padded(long length) {
        return (length + 7) & ~7L;
    }

    /// What has arrived. Every descriptor the kernel made is in it, however many there are.
    SeqPacketSocket.Packet packet(int length) {
        var bytes = new byte[length];
        MemorySegment.copy(data, JAVA_BYTE, 0, bytes, 0, length);
        var flags = segment.get(JAVA_INT, FLAGS);
        var truncation = (flags & MSG_TRUNC) != 0
                ? SeqPacketSocket.Truncation.BYTES
                : (flags & MSG_CTRUNC) != 0 ? SeqPacketSocket.Truncation.DESCRIPTORS : SeqPacketSocket.Truncation.NONE;
        return new SeqPacketSocket.Packet(bytes, descriptors(), truncation);
    }

    /// Counted by the length of each control message: two descriptors also fit where there is room for one, padded.
    private List<Descriptor> descriptors() {
        var found = new ArrayList<Descriptor>();
        var end = segment.get(JAVA_LONG, CONTROL_LENGTH);
        for (var at = 0L; at + CMSG_HEADER <= end; ) {
            var length = control.get(JAVA_LONG, at);
            if (length < CMSG_HEADER || at + length > end) {
                break;
            }
            if (control.get(JAVA_INT, at + 8) == SOL_SOCKET && control.get(JAVA_INT, at + 12) == SCM_RIGHTS) {
                for (var number = at + CMSG_HEADER; number + 4 <= at + length; number += 4) {
                    found.add(new Descriptor(control.get(JAVA_INT, number)));
                }
            }
            at += padded(length);
        }
        return List.copyOf(found);
    }
}
