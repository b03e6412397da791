// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.peers.KubeKind;

/// Machines outside the cluster.
final class WorkloadEntries implements Family {
    private final Dice dice;

    WorkloadEntries(Dice dice) {
        this.dice = dice;
    }

    @Override
    public ObjectNode create(int number) {
        var entry = Draft.of(
                KubeKind.WORKLOAD_ENTRY, dice.pick(Places.NAMESPACES), "machine-" + number, dice.pick(Draft.APPS));
        var spec = Draft.spec(entry);
        spec.put(
                "address",
                dice.chance(85)
                        ? "172.22.%d.%d".formatted(number / 200, number % 200 + 1)
                        : "vm%d.example.com".formatted(number));
        change(entry);
        return entry;
    }

    @Override
    public void change(ObjectNode entry) {
        var labels = Draft.labels(entry);
        labels.put("app", dice.pick(Draft.APPS));
        Draft.maybe(dice, 15, labels, "istio.io/use-waypoint", "wp-1", "wp-2", "none", "nowhere");
        Draft.maybe(dice, 15, labels, "networking.istio.io/tunnel", "http");
        Draft.maybe(dice, 30, Draft.annotations(entry), "ambient.istio.io/redirection", "enabled");
        Draft.maybe(dice, 10, Draft.annotations(entry), "istio.io/autoRegistrationGroup", "group-1");
        var spec = Draft.spec(entry);
        Draft.maybe(dice, 70, spec, "serviceAccount", "account-1", "account-2");
        Draft.maybe(dice, 20, spec, "locality", "eu/z1/rack-1", "us/z2", "eu");
        Draft.maybe(dice, 20, spec, "network", "net-1", "net-2", "net-3");
        spec.remove("weight");
        if (dice.chance(20)) {
            spec.put("weight", dice.between(1, 9));
        }
        spec.remove("ports");
        if (dice.chance(40)) {
            spec.putObject("ports").put(dice.pick("http", "grpc", "p-0", "p-3"), dice.between(9600, 9610));
        }
        spec.putObject("labels").put("app", dice.pick(Draft.APPS)).put("version", "v1");
    }
}
