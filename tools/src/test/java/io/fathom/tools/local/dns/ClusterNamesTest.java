// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.tools.local.dns.ClusterNames.Found;
import io.fathom.tools.local.dns.ClusterNames.Meaning;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClusterNamesTest {
    private static final String WEB = "web.shop.svc.cluster.local";

    private final ClusterNames names = new ClusterNames(Map.of(
            WEB,
            new Meaning.Addresses(List.of("198.19.8.1")),
            "ours",
            new Meaning.Alias(WEB),
            "theirs",
            new Meaning.Alias("a.example"),
            "gone",
            new Meaning.Alias("no.shop.svc.cluster.local"),
            "circle",
            new Meaning.Alias("circle")));

    @Test
    void givenAnAlias_thenItLeadsToTheAddressesOfItsTarget() {
        assertThat(names.find(WEB)).contains(new Found(List.of(), Optional.of(List.of("198.19.8.1"))));
        assertThat(names.find("ours")).contains(new Found(List.of(WEB), Optional.of(List.of("198.19.8.1"))));
    }

    @Test
    void givenAnAliasOfANameOfOthers_thenTheyHaveToBeAsked() {
        assertThat(names.find("theirs")).contains(new Found(List.of("a.example"), Optional.empty()));
    }

    @Test
    void givenAnAliasThatLeadsNowhere_thenThereIsNoAddress() {
        assertThat(names.find("gone").orElseThrow().ips()).contains(List.of());
        assertThat(names.find("circle").orElseThrow().ips()).contains(List.of());
        assertThat(names.find("unknown")).isEmpty();
    }
}
