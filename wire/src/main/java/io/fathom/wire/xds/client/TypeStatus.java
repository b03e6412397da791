// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import java.util.Optional;

/// Where a client stands with one type of resource.
///
/// @param systemVersion what the server called its state in the latest response
/// @param nonce of that response
/// @param held how many resources are held
/// @param rejected how many were refused up to now
public record TypeStatus(String systemVersion, String nonce, int held, long rejected, Optional<String> lastRejection) {
    static final TypeStatus NONE = new TypeStatus("", "", 0, 0, Optional.empty());
}
