// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.status;

import java.util.List;

/// All that is said about an object: about itself, and about each thing that its status has a part for.
public record FullStatus(ObjectStatus own, List<StatusSection> parts) {
    public FullStatus {
        parts = List.copyOf(parts);
    }

    public static FullStatus of(ObjectStatus own) {
        return new FullStatus(own, List.of());
    }

    /// What is said about one parent, ancestor or listener.
    ///
    /// @param list the field of the status that has it, such as `parents`
    /// @param name which one it is, such as `Gateway/shop/edge/http`
    public record StatusSection(String list, String name, List<StatusCondition> conditions) {
        public StatusSection {
            conditions = List.copyOf(conditions);
        }
    }
}
