// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.testkit.TestNamespace;
import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.RuleContext.Families;
import java.io.File;
import java.time.Duration;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Nothing is kept of pods that come and go. Needs root.
@Tag("slow")
class RuleLeakTest {
    private static final CaptureSettings SETTINGS = CaptureSettings.of(DnsCapture.CAPTURED);
    private static final int ROUNDS = 25;

    @ParameterizedTest
    @EnumSource
    void whenPodsComeAndGo_thenDescriptorsAndChildrenDoNotAddUp(Tool tool) {
        tool.assumeItWorks();
        var rules = tool.rules(RuleContext.of(Families.V4_AND_V6)).pods();
        try (var pod = TestNamespace.create()) {
            round(rules, pod);
            round(rules, pod);
            var before = descriptors();
            var children = children();
            for (int i = 0; i < ROUNDS; i++) {
                round(rules, pod);
            }
            Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(descriptors()).isLessThan(before + ROUNDS / 2);
                assertThat(children()).isLessThan(children + ROUNDS / 2);
            });
        }
    }

    private static void round(PodRules rules, TestNamespace pod) {
        rules.apply(pod.path(), SETTINGS);
        rules.inspect(pod.path(), SETTINGS);
        rules.remove(pod.path());
    }

    private static long children() {
        return ProcessHandle.current().children().filter(ProcessHandle::isAlive).count();
    }

    private static int descriptors() {
        return Optional.ofNullable(new File("/proc/self/fd").list()).orElseThrow().length;
    }
}
