// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;

/// What became of a [Command].
record CommandResult(Command command, int code, String output, String errors) {
    boolean succeeded() {
        return code == 0;
    }

    /// What it printed, if it succeeded; else a problem with what it said.
    String orThrow() {
        if (!succeeded()) {
            throw new ProblemException(problem());
        }
        return output;
    }

    Problem problem() {
        var said = errors.strip();
        return new Problem(
                "rules-tool-failed",
                "\"" + command + "\" ended with " + code + (said.isEmpty() ? "" : ": " + said),
                hint(said),
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE);
    }

    private static String hint(String said) {
        if (said.contains("Permission denied")
                || said.contains("Operation not permitted")
                || said.contains("Can't open socket")) {
            return "give the node agent NET_ADMIN, NET_RAW and SYS_ADMIN, and SYS_PTRACE for namespaces in /proc";
        }
        if (said.contains("does not exist")
                || said.contains("not supported")
                || said.contains("missing kernel module")) {
            return "load the kernel modules for nat, mangle, raw, connmark, conntrack and sets";
        }
        return "";
    }
}
