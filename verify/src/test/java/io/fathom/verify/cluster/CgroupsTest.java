// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The groups that `verify/kube/up` makes on a machine with cgroup v2 alone, here below a group of the test's own: as
/// in a container, its top has processes. Which controllers there are depends on the machine; one will do.
@Timeout(60)
class CgroupsTest {
    private static final Path LIB = Path.of("..").toAbsolutePath().normalize().resolve("verify/kube/lib");

    /// Prints what became of the groups: who is where, and what their children get.
    private static final String SCRIPT = """
            set -euo pipefail
            CGROUPS=$2/fathom-test-$$
            . "$1"
            mkdir "$CGROUPS"
            sleep 100 & other=$!
            node=
            before=$(cat "$2/cgroup.subtree_control")
            trap 'kill -9 $other $node 2>/dev/null; wait 2>/dev/null
              for _ in $(seq 50); do find "$CGROUPS" -depth -type d -exec rmdir {} + 2>/dev/null && break; sleep 0.1; done
              [ -n "$before" ] || echo -hugetlb 2>/dev/null > "$2/cgroup.subtree_control"' EXIT
            echo $other > "$CGROUPS/cgroup.procs"
            unified && echo "v2 alone"
            echo +hugetlb > "$2/cgroup.subtree_control" 2>/dev/null || true
            hand_down "$CGROUPS" fathom-others
            echo "others: $(cat "$CGROUPS/fathom-others/cgroup.procs" | sed "s/^$other$/moved/")"
            echo "top hands down: $(cat "$CGROUPS/cgroup.subtree_control")"
            mkdir "$CGROUPS/fathom-c1-n1"
            ( echo $BASHPID > "$CGROUPS/fathom-c1-n1/cgroup.procs"
              exec unshare --cgroup --mount --pid --fork sh -c '
                mount -t cgroup2 cgroup2 "$1" && until [ -n "$(cat "$1/cgroup.subtree_control")" ]; do sleep 0.1; done
                mkdir "$1/kubepods" && echo "in the node: $(cat /proc/self/cgroup) $(cat "$1/kubepods/cgroup.controllers")"
                rmdir "$1/kubepods"' sh "$3" ) & node=$!
            wait_for 10 grep -q . "$CGROUPS/fathom-c1-n1/cgroup.procs"
            sleep 0.5
            hand_down "$CGROUPS/fathom-c1-n1" node
            wait $node
            node=
            (require_controllers "$CGROUPS") || true
            """;

    @Test
    void givenATopWithProcesses_thenTheyMoveToALeaf_andNodesGetTheControllers() throws Exception {
        var hierarchy = hierarchy();
        var process = new ProcessBuilder(
                        "bash", "-c", SCRIPT, "bash", LIB.toString(), hierarchy.toString(), folder().toString())
                .redirectErrorStream(true)
                .start();
        var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(printed).isZero();
        assertThat(printed).contains("v2 alone\n", "others: moved\n").containsPattern("top hands down: \\w+");
        assertThat(printed).as("a leaf of the node's own root").containsPattern("in the node: (?s:.*)0::/node \\w+");
        assertThat(printed).contains("do not get the controller ", "fix: enable it");
        try (var left = Files.list(hierarchy)) {
            assertThat(left.map(Path::toString)).noneMatch(name -> name.contains("fathom-test-" + process.pid()));
        }
    }

    /// Where cgroup v2 is mounted, with a controller that v1 has not taken.
    private static Path hierarchy() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: groups are root's");
        var found = Stream.of("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                .map(Path::of)
                .filter(path -> Files.exists(path.resolve("cgroup.controllers")))
                .findFirst();
        assumeTrue(found.isPresent(), "skipped: this machine has no cgroup v2");
        assumeTrue(
                !Files.readString(found.get().resolve("cgroup.controllers")).isBlank(),
                "skipped: cgroup v1 has all controllers");
        return found.get();
    }

    private static Path folder() throws IOException {
        var folder = Files.createTempDirectory("cgroups");
        folder.toFile().deleteOnExit();
        return folder;
    }
}
