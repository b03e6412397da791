// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InternerTest {
    private final Interner interner = new Interner();

    @Test
    void givenEqualValues_thenOneInstance() {
        var first = List.of(1, 2, 3);

        assertThat(interner.share(first)).isSameAs(first);
        assertThat(interner.share(List.of(1, 2, 3))).isSameAs(first);
    }

    @Test
    void givenEqualValuesOfDifferentClasses_thenEachKeepsItsOwn() {
        interner.share(List.of(1, 2, 3));
        var mutable = new ArrayList<>(List.of(1, 2, 3));

        assertThat(interner.share(mutable)).isSameAs(mutable);
    }
}
