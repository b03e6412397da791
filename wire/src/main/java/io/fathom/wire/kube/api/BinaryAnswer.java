// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.http.HttpAnswer;
import io.fathom.wire.kube.binary.BinaryObjects;
import io.fathom.wire.kube.tree.Json;
import java.io.IOException;

/// Tells which form an answer has: a server that does not speak the binary one answers in JSON.
final class BinaryAnswer {
    private BinaryAnswer() {}

    static boolean isBinary(HttpAnswer answer) {
        return answer.header("content-type")
                .filter(type -> type.startsWith(BinaryObjects.TYPE))
                .isPresent();
    }

    /// As JSON, whatever form it has.
    static String text(HttpAnswer answer, int limit) throws IOException {
        return isBinary(answer)
                ? Json.compact(BinaryObjects.object(answer.body().readNBytes(limit)))
                : answer.text(limit);
    }
}
