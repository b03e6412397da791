// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.ambient.input.Feature;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemotesConfigTest {
    @TempDir
    private Path folder;

    @Test
    void givenTheFlagSeveralTimes_thenAllJoinAndNetworksMatter() {
        var config = parse(Map.of(), "--remote-manifests", "east=" + folder, "--remote-manifests", "south=" + folder);

        assertThat(config.remotes().folders()).isEqualTo(Map.of("east", folder, "south", folder));
        assertThat(config.remotes().patience()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.features()).contains(Feature.MULTI_NETWORK);
    }

    @Test
    void givenTheVariable_thenItMayNameSeveral() {
        var config = parse(Map.of("FATHOM_REMOTE_MANIFESTS", "east=" + folder + ",south=" + folder));

        assertThat(config.remotes().folders()).containsOnlyKeys("east", "south");
    }

    @Test
    void givenNone_thenNothingChanges() {
        var config = parse(Map.of());

        assertThat(config.remotes().folders()).isEmpty();
        assertThat(config.features()).doesNotContain(Feature.MULTI_NETWORK);
    }

    @ParameterizedTest
    @CsvSource({
        "east, is not CLUSTER=DIR",
        "=HERE, is not CLUSTER=DIR",
        "a b=HERE, is no name",
        "east=/nowhere/at/all, does not exist",
        "Kubernetes=HERE, our own cluster",
        "'east=HERE,east=HERE', twice",
    })
    void givenSomethingElse_thenItIsRefused(String value, String complaint) {
        assertThatThrownBy(() -> parse(Map.of(), "--remote-manifests", value.replace("HERE", folder.toString())))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(complaint)
                .hasMessageContaining("--remote-manifests");
    }

    private FathomdConfig parse(Map<String, String> environment, String... more) {
        var args = new ArrayList<>(List.of("--manifests", folder.toString()));
        args.addAll(List.of(more));
        return FathomdConfig.parse(args.toArray(String[]::new), environment);
    }
}
