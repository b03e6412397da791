// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

/// An expected failure, told in words an operator knows.
///
/// @param code stable, in kebab case: what metrics, logs and tests refer to
/// @param message what happened, with the names and values concerned
/// @param fix what to do about it
public record Problem(String code, String message, String fix, Origin origin, Retry retry) {
    /// Who has to act.
    public enum Origin {
        CLIENT,
        SERVER,
        MESH
    }

    /// Whether the same attempt may succeed later without anybody changing anything.
    public enum Retry {
        POINTLESS,
        SENSIBLE
    }

    /// A mistake in what a user wrote: trying again changes nothing.
    public static Problem ofInput(String code, String message, String fix) {
        return new Problem(code, message, fix, Origin.CLIENT, Retry.POINTLESS);
    }

    @Override
    public String toString() {
        return fix.isEmpty() ? message : message + " (fix: " + fix + ")";
    }
}
