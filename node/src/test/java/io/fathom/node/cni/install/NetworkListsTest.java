// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.node.cni.install.PluginEntry.Switch;
import io.fathom.wire.kube.tree.Json;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Case 48 of the CNI fact sheet.
class NetworkListsTest {
    static final PluginEntry ENTRY = new PluginEntry(
            Switch.ON,
            "/var/run/istio-cni",
            Json.of(List.of(
                    Map.of("podSelector", Map.of("matchLabels", Map.of("istio.io/dataplane-mode", "ambient"))))),
            Switch.OFF,
            List.of("kube-system"),
            Switch.OFF,
            "info",
            "istio-system");

    static final String LIST = """
            {
              "name": "k8s-pod-network",
              "cniVersion": "0.3.1",
              "plugins": [
                {"type": "calico", "mtu": 1500, "ipam": {"type": "calico-ipam"}},
                {"type": "portmap", "snat": true, "capabilities": {"portMappings": true}}
              ]
            }""";

    private static final String OURS = """
                {
                  "ambient_enabled": true,
                  "cni_agent_run_dir": "/var/run/istio-cni",
                  "dns": {},
                  "enable_ambient_detection_retry": false,
                  "enablement_selectors": [
                    {
                      "podSelector": {
                        "matchLabels": {
                          "istio.io/dataplane-mode": "ambient"
                        }
                      }
                    }
                  ],
                  "exclude_namespaces": [
                    "kube-system"
                  ],
                  "ipam": {},
                  "name": "istio-cni",
                  "native_nftables": false,
                  "plugin_log_level": "info",
                  "pod_namespace": "istio-system",
                  "type": "istio-cni"
                }
            """;

    private static final String WANT_LIST = """
            {
              "cniVersion": "0.3.1",
              "name": "k8s-pod-network",
              "plugins": [
                {
                  "ipam": {
                    "type": "calico-ipam"
                  },
                  "mtu": 1500,
                  "type": "calico"
                },
                {
                  "capabilities": {
                    "portMappings": true
                  },
                  "snat": true,
                  "type": "portmap"
                },
            """ + OURS + """
              ]
            }
            """;

    private static final String WANT_FROM_SINGLE = """
            {
              "cniVersion": "0.3.1",
              "name": "k8s-pod-network",
              "plugins": [
                {
                  "bridge": "cni0",
                  "name": "mynet",
                  "type": "bridge"
                },
            """ + OURS + """
              ]
            }
            """;

    static Stream<Arguments> inputs() {
        var old = LIST.replace(
                "{\"type\": \"portmap\"",
                "{\"type\": \"istio-cni\", \"log_level\": \"debug\"}, {\"type\": \"portmap\"");
        return Stream.of(
                argumentSet("a list", LIST, WANT_LIST),
                argumentSet("a list with an older entry of ours", old, WANT_LIST),
                argumentSet("a list with our entry", WANT_LIST, WANT_LIST),
                argumentSet(
                        "a single plugin",
                        "{\"cniVersion\":\"0.2.0\",\"name\":\"mynet\",\"type\":\"bridge\",\"bridge\":\"cni0\"}",
                        WANT_FROM_SINGLE));
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void whenOurEntryIsPutIn(String before, String want) {
        var after = NetworkLists.insert(NetworkLists.parse("t", before).orElseThrow(), ENTRY);
        assertThat(after).isEqualTo(want);
        assertThat(NetworkLists.hasEntry(NetworkLists.parse("t", after).orElseThrow(), ENTRY))
                .isTrue();
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                argumentSet("not JSON", "{"),
                argumentSet("nothing", ""),
                argumentSet("no map", "[]"),
                argumentSet("no plugin", "{\"name\":\"x\",\"plugins\":[]}"),
                argumentSet("a plugin without a type", "{\"name\":\"x\",\"plugins\":[{\"type\":\"a\"},{}]}"),
                argumentSet("plugins of another form", "{\"name\":\"x\",\"plugins\":\"a\"}"),
                argumentSet("neither one plugin nor several", "{\"name\":\"x\"}"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void givenWhatIsNoConfiguration_thenItIsNotTouched(String text) {
        assertThat(NetworkLists.parse("t", text)).isEmpty();
    }

    @Test
    void givenSettingsThatChanged_thenTheEntryIsNotRight() {
        var installed = NetworkLists.parse("t", WANT_LIST).orElseThrow();
        var other = new PluginEntry(
                Switch.ON, "/run", ENTRY.selectors(), Switch.ON, List.of(), Switch.ON, "debug", "istio-system");
        assertThat(NetworkLists.hasEntry(installed, other)).isFalse();
        var twice = WANT_LIST.replace("\"type\": \"portmap\"", "\"type\": \"istio-cni\"");
        assertThat(NetworkLists.hasEntry(NetworkLists.parse("t", twice).orElseThrow(), ENTRY))
                .isFalse();
    }

    @Test
    void whenOurEntryIsTakenOut_thenTheOthersAreAsBefore() {
        var removed = NetworkLists.remove(NetworkLists.parse("t", WANT_LIST).orElseThrow());
        assertThat(removed).isEqualTo(Json.pretty(Json.parse("t", LIST)));
        assertThat(NetworkLists.hasAnyOfOurs(NetworkLists.parse("t", removed).orElseThrow()))
                .isFalse();
    }
}
