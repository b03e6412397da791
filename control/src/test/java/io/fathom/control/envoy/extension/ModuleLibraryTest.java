// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fathom.base.testkit.ManualTimeline;
import io.fathom.wire.kube.extension.TrafficExtension.PullPolicy;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ModuleLibraryTest {
    private static final ModuleSource SOURCE =
            new ModuleSource("oci://registry.example/tea:v1", "", PullPolicy.UNSPECIFIED, Optional.empty());
    private static final ModuleState READY = new ModuleState.Ready(ByteString.copyFrom(TinyModule.BYTES));

    private final ManualTimeline time = new ManualTimeline(Instant.parse("2026-01-01T00:00:00Z"));
    private final List<ModuleState> told = new ArrayList<>();
    private int fetches;
    private boolean broken;
    private final ModuleLibrary library = new ModuleLibrary(this::fetch, time, (_, state) -> told.add(state));

    private byte[] fetch(ModuleSource source) throws IOException {
        fetches++;
        if (broken) {
            throw new IOException("registry is on fire");
        }
        return TinyModule.BYTES;
    }

    @Test
    void givenAWantedModule_thenItIsFetchedOnce_andKept() {
        assertThat(library.find(SOURCE)).isEqualTo(new ModuleState.Pending());
        library.want(Set.of(SOURCE));
        time.settle();
        library.want(Set.of(SOURCE));
        time.advance(Duration.ofHours(1));
        assertThat(fetches).isEqualTo(1);
        assertThat(told).containsExactly(READY);
        assertThat(library.find(SOURCE)).isEqualTo(READY);
    }

    @Test
    void givenFailures_thenItFailsAfterSome_andRecovers() {
        broken = true;
        library.want(Set.of(SOURCE));
        time.settle();
        assertThat(library.find(SOURCE)).isEqualTo(new ModuleState.Pending());
        time.advance(Duration.ofMinutes(2));
        assertThat(library.find(SOURCE))
                .isInstanceOfSatisfying(
                        ModuleState.Failed.class,
                        failed -> assertThat(failed.problem().message()).contains("tea:v1", "on fire"));
        assertThat(told).hasSize(1);
        broken = false;
        time.advance(Duration.ofMinutes(6));
        assertThat(library.find(SOURCE)).isEqualTo(READY);
    }

    @Test
    void givenAModuleThatNobodyWantsAnyMore_thenItIsForgotten() {
        library.want(Set.of(SOURCE));
        time.settle();
        library.want(Set.of());
        assertThat(library.find(SOURCE)).isEqualTo(new ModuleState.Pending());
    }
}
