// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.status;

/// What the control plane has to say about one aspect of an object, as it appears under `.status.conditions`.
///
/// Carries no time: two conditions that say the same are equal, whenever they were computed.
public record StatusCondition(String type, Status status, String reason, String message) {
    public enum Status {
        TRUE("True"),
        FALSE("False");

        private final String text;

        Status(String text) {
            this.text = text;
        }

        /// As Kubernetes spells it.
        public String text() {
            return text;
        }
    }
}
