// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

/// What TLS may negotiate: always with AES-GCM and with keys that are forgotten afterwards. Immutable. [PolicyContext]
/// enforces it.
public record TlsPolicy(Versions versions, KeyExchange exchange) {
    /// Which versions are spoken.
    public enum Versions {
        TLS13,
        TLS12_TOO
    }

    /// In which groups keys are exchanged.
    public enum KeyExchange {
        /// All that are considered safe, and X25519MLKEM768 where the library has it.
        ANY(""),
        /// Only the curves that FIPS 140-2 approves of.
        FIPS_140_2("fips-140-2"),
        /// Only X25519MLKEM768, which quantum computers are not expected to break. It needs TLS 1.3.
        POST_QUANTUM("pqc");

        private final String compliance;

        KeyExchange(String compliance) {
            this.compliance = compliance;
        }

        /// What `COMPLIANCE_POLICY` says for it; empty for no policy.
        public String compliance() {
            return compliance;
        }
    }

    public static final TlsPolicy DEFAULT = new TlsPolicy(Versions.TLS13, KeyExchange.ANY);

    public TlsPolicy {
        if (versions == Versions.TLS12_TOO && exchange == KeyExchange.POST_QUANTUM) {
            throw new IllegalArgumentException("TLS 1.2 knows no post-quantum key exchange");
        }
    }
}
