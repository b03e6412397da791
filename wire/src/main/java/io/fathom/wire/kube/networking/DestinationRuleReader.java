// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.manifest.SelectorReader;
import io.fathom.wire.kube.networking.DestinationRuleManifest.Subset;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicyReader;
import io.fathom.wire.kube.tree.Field;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/// Reads DestinationRules.
public final class DestinationRuleReader implements KindReader {
    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        var policy = spec.at("trafficPolicy");
        return new DestinationRuleManifest(
                metadata,
                interner.text(spec.at("host").requiredText()),
                TrafficPolicyReader.read(policy),
                ports(policy.at("portLevelSettings")),
                subsets(spec.at("subsets"), interner),
                spec.at("exportTo").texts(),
                SelectorReader.workloads(spec.at("workloadSelector"), interner));
    }

    private static List<Subset> subsets(Field subsets, Interner interner) {
        var names = new HashSet<String>();
        return subsets.items().stream()
                .map(subset -> {
                    var name = subset.at("name").requiredText();
                    if (!names.add(name)) {
                        throw subset.at("name")
                                .wrong(
                                        "manifest-bad-value",
                                        "is \"" + name + "\" like that of another subset",
                                        "give each subset a name of its own");
                    }
                    return new Subset(
                            name,
                            interner.map(subset.at("labels").textMap()),
                            TrafficPolicyReader.read(subset.at("trafficPolicy")),
                            ports(subset.at("trafficPolicy").at("portLevelSettings")));
                })
                .toList();
    }

    private static Map<Integer, TrafficPolicy> ports(Field settings) {
        var ports = new HashMap<Integer, TrafficPolicy>();
        for (var setting : settings.items()) {
            ports.putIfAbsent(Ports.number(setting.at("port").at("number")), TrafficPolicyReader.read(setting));
        }
        return ports;
    }
}
