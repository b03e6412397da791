// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.XdsType;
import java.util.Optional;

/// What a request turned out to be.
public sealed interface Receipt {
    /// A new or changed subscription, or nothing worth telling.
    record Taken() implements Receipt {}

    /// The latest response of that type was accepted.
    ///
    /// @param verdict on streams of Envoys, what was accepted
    record Acknowledged(XdsType type, Optional<Verdict> verdict) implements Receipt {
        Acknowledged(XdsType type) {
            this(type, Optional.empty());
        }
    }

    /// A response was refused; it is not sent again.
    ///
    /// @param verdict on streams of Envoys, what was refused
    record Refused(XdsType type, String error, Optional<Verdict> verdict) implements Receipt {
        Refused(XdsType type, String error) {
            this(type, error, Optional.empty());
        }
    }

    /// It answers a response that is no longer the latest.
    record Expired(XdsType type) implements Receipt {}
}
