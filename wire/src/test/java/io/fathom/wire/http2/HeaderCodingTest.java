// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import java.io.IOException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Against Netty's, which uses the Huffman code and the table of recent headers.
class HeaderCodingTest {
    private final SplittableRandom random = new SplittableRandom(7);

    @Test
    void givenBlocksOfAnotherLibrary_whenReadInTheirOrder_thenTheHeadersAreThose() throws Exception {
        var encoder = new DefaultHttp2HeadersEncoder(Http2HeadersEncoder.NEVER_SENSITIVE, false, 16, 0);
        var decoder = new HeaderDecoder();
        for (int i = 0; i < 300; i++) {
            var headers = headers(i);
            var block = Unpooled.buffer();
            var netty = new DefaultHttp2Headers();
            headers.forEach(netty::add);
            encoder.encodeHeaders(3, netty, block);
            var bytes = new byte[block.readableBytes()];
            block.readBytes(bytes);
            assertThat(decoder.decode(bytes)).isEqualTo(headers);
        }
    }

    @Test
    void givenOurBlocks_whenReadByAnotherLibrary_thenTheHeadersAreThose() throws Exception {
        var decoder = new DefaultHttp2HeadersDecoder();
        for (int i = 0; i < 50; i++) {
            var headers = headers(i);
            var read = new LinkedHashMap<String, String>();
            decoder.decodeHeaders(3, Unpooled.wrappedBuffer(HeaderEncoder.encode(headers)))
                    .forEach(entry ->
                            read.put(entry.getKey().toString(), entry.getValue().toString()));
            assertThat(read).isEqualTo(headers);
        }
    }

    @Test
    void givenBlocksThatMakeNoSense_thenRefused() {
        for (var block : new String[] {"ff", "c0", "80", "3fe1ff03", "0085", "4083ffffff", "7fffffffff0f"}) {
            assertThatThrownBy(() -> new HeaderDecoder().decode(HexFormat.of().parseHex(block)))
                    .as(block)
                    .isInstanceOf(IOException.class);
        }
    }

    private Map<String, String> headers(int number) {
        var headers = new LinkedHashMap<String, String>();
        headers.put(":method", number % 3 == 0 ? "GET" : "POST");
        headers.put(":path", "/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets");
        headers.put("te", "trailers");
        for (int i = random.nextInt(6); i > 0; i--) {
            headers.put("x-" + random.nextInt(20), text(random.nextInt(200)));
        }
        return headers;
    }

    private String text(int length) {
        var text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(0x21, 0x7f));
        }
        return text.toString();
    }
}
