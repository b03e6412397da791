// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentHashTest {
    @ParameterizedTest
    @CsvSource({
        "'', ef46db3751d8e999",
        "a, d24ec4f1a98c6e5b",
        "as, 1c330fb2d66be179",
        "asd, 631c37ce72a97393",
        "asdf, 415872f599cea71e",
        "abc, 44bc2cf5ad770999",
        "'Call me Ishmael. Some years ago--never mind how long precisely-', 2a2e85470d6fd96"
    })
    void givenPublishedInput_thenPublishedHash(String text, String hash) {
        assertThat(Long.toHexString(ContentHash.of(text.getBytes(UTF_8)))).isEqualTo(hash);
    }
}
