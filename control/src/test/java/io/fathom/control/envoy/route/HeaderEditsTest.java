// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.config.core.v3.HeaderValueOption;
import io.fathom.control.envoy.route.HeaderEdits.Values;
import io.fathom.wire.kube.gateway.RouteFilter.Header;
import io.fathom.wire.kube.gateway.RouteFilter.HeaderChanges;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeaderEditsTest {
    @Test
    void givenChanges_thenTheyAreSortedAndTheFirstOfANameCounts() {
        var edits = HeaderEdits.ofRequest(
                new HeaderChanges(
                        List.of(new Header("b", "1"), new Header("a", "2"), new Header("B", "3")),
                        List.of(new Header("c", "4")),
                        List.of("d", ":path", "Host")),
                Values.LITERAL);

        assertThat(edits.add()).extracting(HeaderEditsTest::text).containsExactly("a=2!", "b=1!", "c=4+");
        assertThat(edits.remove()).containsExactly("d");
        assertThat(edits.authority()).isEmpty();
    }

    @Test
    void givenAHost_thenItIsTheAuthority() {
        var edits = HeaderEdits.ofRequest(
                new HeaderChanges(List.of(new Header("Host", "a.example")), List.of(), List.of()), Values.LITERAL);

        assertThat(edits.add()).isEmpty();
        assertThat(edits.authority()).isEqualTo("a.example");
    }

    @Test
    void givenPercentSigns_thenOnlyWholeCommandsAreLeftAlone() {
        assertThat(value("100%", Values.LITERAL)).isEqualTo("100%%");
        assertThat(value("100%", Values.FORMATTED)).isEqualTo("100%%");
        assertThat(value("%REQ(x)%", Values.LITERAL)).isEqualTo("%%REQ(x)%%");
        assertThat(value("a %REQ(x):3% b", Values.FORMATTED)).isEqualTo("a %REQ(x):3% b");
    }

    private static String value(String value, Values values) {
        var changes = new HeaderChanges(List.of(new Header("x", value)), List.of(), List.of());
        return HeaderEdits.ofResponse(changes, values)
                .responseAdd()
                .getFirst()
                .getHeader()
                .getValue();
    }

    private static String text(HeaderValueOption option) {
        var sign = switch (option.getAppendAction()) {
            case OVERWRITE_IF_EXISTS_OR_ADD -> "!";
            case APPEND_IF_EXISTS_OR_ADD -> "+";
            default -> "?";
        };
        return option.getHeader().getKey() + "=" + option.getHeader().getValue() + sign;
    }
}
