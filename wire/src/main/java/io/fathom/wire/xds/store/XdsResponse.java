// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import java.io.IOException;
import java.io.OutputStream;

/// One response on its way: what it says about itself, and bytes that may be shared by many streams. Immutable.
///
/// @param cutNanos when the newest change in it was published, on the clock of durations
public record XdsResponse(
        XdsType type, String version, String nonce, int resources, int removed, long cutNanos, ResponseBody body) {

    /// Small responses are encoded when made, large ones while they are sent: they hold resources, not copies.
    public interface ResponseBody {
        int size();

        void writeTo(OutputStream out) throws IOException;
    }

    public int size() {
        return body.size();
    }
}
