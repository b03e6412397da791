// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PartsTest {
    @ParameterizedTest
    @EnumSource(Parts.Order.class)
    void givenAPartThatFails_whenClosed_thenTheOthersAreClosedInOrder_once(Parts.Order order) {
        var closed = new ArrayList<String>();
        var parts = new Parts(order);
        parts.keep(() -> closed.add("first"));
        parts.keep(() -> {
            throw new IOException("cannot");
        });
        parts.keep(() -> closed.add("last"));

        parts.close();
        parts.close();

        assertThat(closed)
                .isEqualTo(
                        switch (order) {
                            case LAST_FIRST -> List.of("last", "first");
                            case FIRST_FIRST -> List.of("first", "last");
                        });
    }
}
