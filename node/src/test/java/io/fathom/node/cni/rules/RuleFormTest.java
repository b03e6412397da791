// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleFormTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-p tcp -m tcp ! --dport 15008 -j RETURN | -p tcp ! --dport 15008 -j RETURN",
                "-j RETURN -p tcp -s 1.2.3.4/32 | --source 1.2.3.4 --protocol tcp --jump RETURN",
                "-d ::1/128 -j ACCEPT | -d ::1 -j ACCEPT",
                "-p udp -m udp --dport 53 -m mark ! --mark 0x539/0xfff | -m mark ! --mark 0x539/0xfff -p udp --dport 53",
                "-j REDIRECT --to-port 1 | -j REDIRECT --to-ports 1"
            })
    void rulesThatMeanTheSameHaveOneForm(String one, String other) {
        assertThat(RuleForm.of(one)).isEqualTo(RuleForm.of(other));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-p tcp ! --dport 15008 | -p tcp --dport 15008",
                "! -d 127.0.0.1 -p tcp | -d 127.0.0.1 ! -p tcp",
                "-d 10.0.0.0/8 | -d 10.0.0.0/9",
                "-j REDIRECT --to-ports 15001 | -j REDIRECT --to-ports 15006"
            })
    void rulesThatMeanSomethingElseHaveAnother(String one, String other) {
        assertThat(RuleForm.of(one)).isNotEqualTo(RuleForm.of(other));
    }

    @Test
    void aCommentIsNoTarget() {
        assertThat(RuleForm.of("-m comment --comment \"-j ISTIO_X \\\" -j ISTIO_Y\" -j KUBE-FOO")
                        .target())
                .contains("KUBE-FOO");
        assertThat(SavedReferences.leadsToOurs("-m comment --comment \"-j ISTIO_X\" -j KUBE-FOO"))
                .isFalse();
        assertThat(SavedReferences.leadsToOurs("-p tcp -g ISTIO_X")).isTrue();
    }
}
