// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.wire.kube.tree.Json;
import java.util.LinkedHashMap;

/// A call that fails, in the words of the CNI specification. Without a stack trace: it is an answer, not a bug.
public final class CniException extends RuntimeException {
    /// The codes of the specification, and the one from which plugins have their own.
    enum Code {
        INCOMPATIBLE_VERSION(1),
        INVALID_ENVIRONMENT(4),
        DECODING_FAILURE(6),
        INVALID_NETWORK_CONFIG(7),
        INVALID_NAMESPACE(8),
        OTHER(999);

        private final int number;

        Code(int number) {
            this.number = number;
        }
    }

    private final Code code;
    private final String details;

    CniException(Code code, String message, String details) {
        super(message, null, false, false);
        this.code = code;
        this.details = details;
    }

    String message() {
        return String.valueOf(getMessage());
    }

    /// What goes to standard output.
    public String json() {
        var entries = new LinkedHashMap<String, Object>();
        entries.put("cniVersion", CniVersion.NEWEST.toString());
        entries.put("code", code.number);
        entries.put("msg", message());
        if (!details.isEmpty()) {
            entries.put("details", details);
        }
        return Json.pretty(Json.of(entries));
    }
}
