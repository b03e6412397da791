// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.stream.StreamRejection;
import io.fathom.wire.xds.stream.XdsRequest;

/// What came in on a stream: a request, or the reason why it is none.
sealed interface Inbound {
    record Request(XdsRequest request) implements Inbound {}

    record Broken(StreamRejection rejection) implements Inbound {}
}
