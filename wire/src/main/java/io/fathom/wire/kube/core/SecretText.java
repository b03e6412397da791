// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import org.jspecify.annotations.Nullable;

/// Text that no log and no page may show. Not a record on purpose: pages show the components of records.
public final class SecretText {
    private final String value;

    public SecretText(String value) {
        this.value = value;
    }

    /// For those who send it to whom it is for.
    public String reveal() {
        return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SecretText secret && value.equals(secret.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }
}
