// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.debug;

/// What `istioctl` may ask for over xDS. Any thread.
public interface DebugPages {
    /// Nobody may see anything.
    DebugPages NONE = new DebugPages() {
        @Override
        public String identifier() {
            return "{}";
        }

        @Override
        public boolean showsAllTo(String namespace) {
            return false;
        }

        @Override
        public String body(String name) {
            return "404 page not found";
        }
    };

    /// Who answers, as JSON: component, pod, version.
    String identifier();

    /// Whether clients of that namespace may see everything; others see only what is about their own.
    boolean showsAllTo(String namespace);

    /// The page `/debug/<name>`, or why there is none.
    ///
    /// @param name may have a query: `config_dump?proxyID=x`
    String body(String name);
}
