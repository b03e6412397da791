// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

/// Writes the labels of one series as OpenMetrics wants them.
final class LabelText {
    private final StringBuilder text = new StringBuilder();

    LabelText with(String name, String value) {
        if (!text.isEmpty()) {
            text.append(',');
        }
        text.append(name).append("=\"");
        for (int i = 0; i < value.length(); i++) {
            switch (value.charAt(i)) {
                case '\\' -> text.append("\\\\");
                case '"' -> text.append("\\\"");
                case '\n' -> text.append("\\n");
                default -> text.append(value.charAt(i));
            }
        }
        text.append('"');
        return this;
    }

    /// Upstream writes `unknown` for what is not known.
    LabelText known(String name, String value) {
        return with(name, value.isEmpty() ? "unknown" : value);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
