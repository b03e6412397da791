// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

/// Something about clusters, or about the link between two, that keeps them from working together.
///
/// @param code stable, for scripts
/// @param from the cluster that it is about
/// @param to the other one; empty where it is about one alone
record LinkFinding(FindingSeverity severity, String code, String from, String to, String message, String fix) {
    enum FindingSeverity {
        ERROR,
        WARNING
    }

    static LinkFinding error(String code, String cluster, String message, String fix) {
        return new LinkFinding(FindingSeverity.ERROR, code, cluster, "", message, fix);
    }

    static LinkFinding between(String code, ClusterFacts from, ClusterFacts to, String message, String fix) {
        return new LinkFinding(FindingSeverity.ERROR, code, from.context(), to.context(), message, fix);
    }

    String where() {
        return to.isEmpty() ? from : from + " -> " + to;
    }

    boolean isError() {
        return severity == FindingSeverity.ERROR;
    }
}
