// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

/// Hears what the certificate service does, for metrics. Called on the threads that do it: must be quick.
public interface CaObserver {
    /// Hears and forgets.
    CaObserver NONE = new CaObserver() {};

    /// A request came in.
    default void received() {}

    /// A caller could not be authenticated, or must not have what it asked for.
    ///
    /// @param code of the reason
    default void refused(String code) {}

    /// The request or its lifetime was not acceptable.
    ///
    /// @param code of the reason
    default void invalid(String code) {}

    /// Signing failed on our side.
    ///
    /// @param code of the reason
    default void failed(String code) {}

    /// A certificate went out.
    default void issued() {}
}
