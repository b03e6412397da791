// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HttpLinkTest {
    private static final HttpCall CALL = new HttpCall("GET", "/x?y=1", "unix", Map.of("accept", "a/b"), "");

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    static Stream<Arguments> answers() {
        return Stream.of(
                argumentSet("a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 hello", true),
                argumentSet("no body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 ", true),
                argumentSet("status without a body", "HTTP/1.1 204 No Content\r\n\r\n", "204 ", true),
                argumentSet(
                        "chunks with an extension and a trailer",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nx: y\r\n\r\n",
                        "200 hello",
                        true),
                argumentSet(
                        "an answer before the answer",
                        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
                        "404 no",
                        true),
                argumentSet(
                        "the last one of this connection",
                        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
                        "200 hi",
                        false),
                argumentSet("up to the end of the connection", "HTTP/1.0 500 Oops\n\nhello", "500 hello", false));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void whenAnswered(String bytes, String want, boolean reusable) throws Exception {
        var link = link(bytes);
        var answer = link.call(CALL);
        assertThat(answer.status() + " " + answer.text(100)).isEqualTo(want);
        assertThat(link.isReusable()).isEqualTo(reusable);
        assertThat(sent.toString(StandardCharsets.UTF_8))
                .isEqualTo("GET /x?y=1 HTTP/1.1\r\nhost: unix\r\naccept: a/b\r\n\r\n");
    }

    static Stream<Arguments> nonsense() {
        return Stream.of(
                argumentSet("nothing", ""),
                argumentSet("another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
                argumentSet("a status that is no number", "HTTP/1.1 abc\r\n\r\n"),
                argumentSet("a head that is no head", "HTTP/1.1 200 OK\r\nabc\r\n\r\n"),
                argumentSet("a head without an end", "HTTP/1.1 200 OK\r\n" + "a: b\r\n".repeat(50_000)),
                argumentSet("a line without an end", "HTTP/1.1 200 OK" + "x".repeat(100_000)),
                argumentSet("a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
                argumentSet("a body cut off", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"),
                argumentSet("a chunk cut off", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhe"),
                argumentSet("chunks cut off", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n"),
                argumentSet(
                        "a chunk too long",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nhe\r\n0\r\n\r\n"),
                argumentSet("a chunk without a size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"));
    }

    @ParameterizedTest
    @MethodSource("nonsense")
    void givenAnAnswerThatIsNone_thenTheCallFails(String bytes) {
        var link = link(bytes);
        assertThatThrownBy(() -> link.call(CALL).text(1000)).isInstanceOf(IOException.class);
        assertThat(link.isReusable()).isFalse();
    }

    @Test
    void givenABodyThatIsTooLarge_thenTheCallFails() throws Exception {
        var answer = link("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello!").call(CALL);
        assertThatThrownBy(() -> answer.text(5)).isInstanceOf(IOException.class).hasMessageContaining("5 bytes");
    }

    @Test
    void givenALineBreakInAHeader_thenThereIsNoSuchCall() {
        assertThatThrownBy(() -> new HttpCall("GET", "/", "h", Map.of("authorization", "Bearer a\r\nx: y"), ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private HttpLink link(String bytes) {
        return new HttpLink(new ByteArrayInputStream(bytes.getBytes(StandardCharsets.ISO_8859_1)), sent, () -> {});
    }
}
