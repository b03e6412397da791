// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.status;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// What the control plane writes into the status of one object: conditions by type, and the addresses of its hosts.
public record ObjectStatus(List<StatusCondition> conditions, List<HostAddress> addresses) {
    public static final ObjectStatus NOTHING = new ObjectStatus(List.of(), List.of());

    /// An automatic address of one host of a ServiceEntry.
    public record HostAddress(String host, String value) {}

    public ObjectStatus {
        conditions = conditions.stream()
                .sorted(Comparator.comparing(StatusCondition::type))
                .toList();
        addresses = List.copyOf(addresses);
    }

    public static ObjectStatus of(StatusCondition... conditions) {
        return new ObjectStatus(List.of(conditions), List.of());
    }

    /// Both together; they must not speak about the same condition type.
    public ObjectStatus and(ObjectStatus other) {
        return new ObjectStatus(
                Stream.concat(conditions.stream(), other.conditions.stream()).toList(),
                Stream.concat(addresses.stream(), other.addresses.stream()).toList());
    }

    /// Whether there is nothing to write.
    public boolean isEmpty() {
        return conditions.isEmpty() && addresses.isEmpty();
    }
}
