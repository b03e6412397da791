// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

/// The port that clients sent a request to, and whether they used TLS.
public record RequestPort(int number, Scheme scheme) {
    public enum Scheme {
        HTTP("http"),
        HTTPS("https");

        private final String word;

        Scheme(String word) {
            this.word = word;
        }
    }

    public static RequestPort plain(int number) {
        return new RequestPort(number, Scheme.HTTP);
    }

    /// As it stands in an URL.
    String word() {
        return scheme.word;
    }
}
