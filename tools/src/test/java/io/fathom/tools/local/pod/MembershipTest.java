// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MembershipTest {
    @ParameterizedTest
    @CsvSource({
        "ambient, '',      IN_MESH",
        "'',      '',      OUTSIDE",
        "'',      ambient, IN_MESH",
        "ambient, none,    OUTSIDE",
        "none,    ambient, IN_MESH"
    })
    void thenThePodsLabelWinsOverItsNamespaces(String namespace, String pod, Membership expected) {
        assertThat(Membership.of(label(namespace), label(pod))).isEqualTo(expected);
    }

    private static Map<String, String> label(String value) {
        return value.isEmpty() ? Map.of() : Map.of("istio.io/dataplane-mode", value);
    }
}
