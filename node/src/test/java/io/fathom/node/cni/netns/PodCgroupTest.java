// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.netns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PodCgroupTest {
    private static final String UID = "2c48913c-b29f-11e7-9350-020968147796";
    private static final String ID = "9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961";
    private static final Optional<PodCgroup> FOUND = Optional.of(new PodCgroup(UID, ID));

    static Stream<Arguments> groups() {
        return Stream.of(
                argumentSet("version 1", "4:memory:/kubepods/burstable/pod" + UID + "/" + ID, FOUND),
                argumentSet("version 2", "0::/kubepods/besteffort/pod" + UID + "/" + ID + "\n", FOUND),
                argumentSet(
                        "systemd with underscores",
                        "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + UID.replace('-', '_')
                                + ".slice/cri-containerd-" + ID + ".scope",
                        FOUND),
                argumentSet(
                        "cri-o",
                        "0::/kubepods.slice/kubepods-pod" + UID.replace('-', '_') + ".slice/crio-" + ID + ".scope",
                        FOUND),
                argumentSet("docker", "1:cpu:/kubepods/pod" + UID + "/docker-" + ID + ".scope", FOUND),
                argumentSet("no punctuation", "0::/kubepods/pod" + UID.replace("-", "") + "/" + ID, FOUND),
                argumentSet("upper case", "0::/kubepods/pod" + UID.toUpperCase(Locale.ROOT) + "/" + ID, FOUND),
                argumentSet("below a container's", "0::/kubepods/pod" + UID + "/" + ID + "/init.scope", FOUND),
                argumentSet(
                        "several controllers that agree",
                        "2:cpu:/kubepods/pod" + UID + "/" + ID + "\n1:memory:/kubepods/pod" + UID + "/" + ID + "\n0::/",
                        FOUND),
                argumentSet(
                        "several containers",
                        "2:cpu:/kubepods/pod" + UID + "/" + ID + "\n1:memory:/kubepods/pod" + UID + "/other",
                        Optional.empty()),
                argumentSet("cri-o without the pod", "0::/../crio-" + ID + ".scope", Optional.empty()),
                argumentSet("the pod itself", "0::/kubepods/pod" + UID, Optional.empty()),
                argumentSet("a service of the host", "0::/system.slice/kubelet.service", Optional.empty()),
                argumentSet("too short", "0::/kubepods/pod2c48913c-b29f/" + ID, Optional.empty()),
                argumentSet("podman is no pod", "0::/machine.slice/libpod-" + ID + ".scope", Optional.empty()),
                argumentSet("nothing", "", Optional.empty()),
                argumentSet("no colons", "rubbish", Optional.empty()));
    }

    @ParameterizedTest
    @MethodSource("groups")
    void whenControlGroupsAreRead(String text, Optional<PodCgroup> want) {
        assertThat(PodCgroup.parse(text)).isEqualTo(want);
    }

    @Test
    void givenAPathMadeToBeSlow_thenItIsNot() {
        assertThat(PodCgroup.parse("0::" + "/pod2c48913c-".repeat(200_000))).isEmpty();
    }
}
