// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.tools.local.run.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FarewellTest {
    private static final Map<String, String> BALANCED = Map.of("shop/ingress", "198.19.0.101");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void givenTheSamples_thenTheVisitorIsShown() {
        assertThat(text("bin/up", Set.of("visitors/visitor")))
                .contains("\n  bin/up logs -f visitor ", "\n  bin/up exec visitor -- curl -s storefront.shop\n")
                .contains("From this machine, http://198.19.0.101/ leads to shop/ingress.");
    }

    @Test
    void givenOtherManifests_thenNothingOfTheSamplesIsNamed() {
        assertThat(text("bin/up", Set.of("default/web")))
                .contains("bin/up logs ")
                .doesNotContain("visitor", "shop/policies");
    }

    @Test
    void givenAnotherRunFolder_thenEveryHintNamesIt() {
        assertThat(text("bin/up --run-dir /tmp/two", Set.of("visitors/visitor")).lines())
                .filteredOn(line -> line.contains("bin/up"))
                .allMatch(line -> line.contains("bin/up --run-dir /tmp/two "));
    }

    @Test
    void givenNoRoot_thenTheAddressIsReachedFromInside() throws IOException {
        Files.createFile(folder.resolve("rootless"));

        assertThat(text("bin/up", Set.of()))
                .contains("bin/up exec fathomd -- curl -si http://198.19.0.101/")
                .doesNotContain("From this machine");
    }

    private String text(String up, Set<String> workloads) {
        var config = new EngineConfig(
                new RunFolder(folder, up),
                folder,
                folder,
                Optional.empty(),
                folder,
                List.of("node-1"),
                "",
                Duration.ZERO,
                Optional.empty());
        return new Farewell(config, workloads, BALANCED, List.of()).text(1);
    }
}
