// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

/// Hears what a client does, for metrics. Called on the client's thread.
public interface XdsClientObserver {
    /// Listens to nothing.
    XdsClientObserver NONE = new XdsClientObserver() {};

    /// Why a stream ended; the names are those of the metric's label.
    enum Termination {
        CONNECTION_ERROR("ConnectionError"),
        ERROR("Error"),
        RECONNECT("Reconnect"),
        COMPLETE("Complete");

        private final String label;

        Termination(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    default void terminated(Termination reason) {}

    /// A response of that many bytes came in.
    default void received(String typeUrl, int bytes) {}
}
