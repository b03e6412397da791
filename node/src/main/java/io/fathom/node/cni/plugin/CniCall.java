// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.node.cni.plugin.CniException.Code;
import java.util.Map;
import java.util.regex.Pattern;

/// One call of a container runtime, as far as its environment tells, checked as the specification demands.
///
/// @param namespace the path of the pod's network namespace; empty if not told
/// @param pod as far as told: runtimes other than those of Kubernetes say nothing of pods
record CniCall(CniVerb verb, String namespace, PodArgs pod, OwnNamespace ownNamespace) {
    private static final Pattern CONTAINER_ID = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9_.-]*");

    /// Whether a plugin may be pointed at its own network namespace.
    enum OwnNamespace {
        ALLOWED,
        REFUSED
    }

    static CniCall of(Map<String, String> environment) {
        var verb = verb(value(environment, CniVariable.CNI_COMMAND));
        var missing = verb.required().stream()
                .filter(variable -> value(environment, variable).isEmpty())
                .toList();
        if (!missing.isEmpty()) {
            throw invalid("required env variables " + missing + " missing");
        }
        if (verb.required().contains(CniVariable.CNI_CONTAINERID)) {
            checkContainerId(value(environment, CniVariable.CNI_CONTAINERID));
            checkInterface(value(environment, CniVariable.CNI_IFNAME));
        }
        var override = value(environment, CniVariable.CNI_NETNS_OVERRIDE);
        return new CniCall(
                verb,
                value(environment, CniVariable.CNI_NETNS),
                PodArgs.of(value(environment, CniVariable.CNI_ARGS)),
                override.equalsIgnoreCase("true") || override.equals("1")
                        ? OwnNamespace.ALLOWED
                        : OwnNamespace.REFUSED);
    }

    /// Whether somebody started the plugin by hand.
    static boolean isByHand(Map<String, String> environment) {
        return value(environment, CniVariable.CNI_COMMAND).isEmpty();
    }

    private static CniVerb verb(String text) {
        for (var verb : CniVerb.values()) {
            if (verb.name().equals(text)) {
                return verb;
            }
        }
        throw invalid("unknown CNI_COMMAND: " + text);
    }

    private static void checkContainerId(String id) {
        if (!CONTAINER_ID.matcher(id).matches()) {
            throw invalid("invalid characters in containerID");
        }
    }

    private static void checkInterface(String name) {
        if (name.length() > 15) {
            throw invalid("interface name is too long");
        }
        if (name.equals(".") || name.equals("..")) {
            throw invalid("interface name is . or ..");
        }
        if (name.chars().anyMatch(c -> c == '/' || c == ':' || Character.isWhitespace(c))) {
            throw invalid("interface name contains / or : or whitespace characters");
        }
    }

    private static CniException invalid(String message) {
        return new CniException(Code.INVALID_ENVIRONMENT, message, "");
    }

    private static String value(Map<String, String> environment, CniVariable variable) {
        return environment.getOrDefault(variable.name(), "");
    }
}
