// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

/// What came in on a stream: a request, or the reason why it is none.
sealed interface Inbound {
    record Request(XdsRequest request) implements Inbound {}

    record Broken(StreamRejection rejection) implements Inbound {}
}
