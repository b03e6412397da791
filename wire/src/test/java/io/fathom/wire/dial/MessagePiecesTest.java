// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagePiecesTest {
    private static final byte[] THREE = {0, 0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3};

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 6, 7, 12, 20})
    void givenMessagesInPieces_thenEachComesOnceAndWhole(int size) throws Exception {
        var messages = new MessagePieces(3);
        var seen = new ArrayList<byte[]>();

        for (var at = 0; at < THREE.length; at += size) {
            messages.add(List.of(Unpooled.copiedBuffer(THREE, at, Math.min(size, THREE.length - at))));
            for (var next = messages.next(); next.isPresent(); next = messages.next()) {
                seen.add(next.get());
            }
        }

        assertThat(seen).containsExactly(new byte[] {7, 8}, new byte[0], new byte[] {1, 2, 3});
    }

    @Test
    void givenACompressedOrALargeMessage_thenItIsRefusedBeforeItIsHeld() {
        var compressed = new MessagePieces(3);
        compressed.add(List.of(Unpooled.wrappedBuffer(new byte[] {1, 0, 0, 0, 1})));
        var large = new MessagePieces(3);
        large.add(List.of(Unpooled.wrappedBuffer(new byte[] {0, 0, 0, 0, 4})));
        var negative = new MessagePieces(3);
        negative.add(List.of(Unpooled.wrappedBuffer(new byte[] {0, -1, 0, 0, 4})));

        assertThatThrownBy(compressed::next).isInstanceOf(InvalidProtocolBufferException.class);
        assertThatThrownBy(large::next).isInstanceOf(InvalidProtocolBufferException.class);
        assertThatThrownBy(negative::next).isInstanceOf(InvalidProtocolBufferException.class);
    }
}
