// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import java.security.Provider;
import java.util.Optional;
import org.conscrypt.Conscrypt;

/// Cryptography in native code: quick from the first use on, where the JDK's own has to be compiled first.
///
/// Nothing is registered globally, so all other users of the JDK's providers are left as they are. Any thread.
public final class BoringSsl {
    private static final Optional<Provider> PROVIDER = load();

    private BoringSsl() {}

    /// Empty where its library does not load.
    public static Optional<Provider> provider() {
        return PROVIDER;
    }

    private static Optional<Provider> load() {
        try {
            return Conscrypt.isAvailable()
                    ? Optional.of(Conscrypt.newProviderBuilder()
                            .setName("fathom-boringssl")
                            .build())
                    : Optional.empty();
        } catch (LinkageError e) {
            return Optional.empty(); // no native library for this platform
        }
    }
}
