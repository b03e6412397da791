// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

/// Which pod a call is about; empty where the runtime does not say.
record PodArgs(String namespace, String name, String uid) {
    /// From `CNI_ARGS`: `K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web;K8S_POD_UID=...`. What is not known is left alone.
    static PodArgs of(String arguments) {
        var namespace = "";
        var name = "";
        var uid = "";
        for (var argument : arguments.split(";", -1)) {
            var equals = argument.indexOf('=');
            if (equals > 0) {
                var value = argument.substring(equals + 1);
                switch (argument.substring(0, equals)) {
                    case "K8S_POD_NAMESPACE" -> namespace = value;
                    case "K8S_POD_NAME" -> name = value;
                    case "K8S_POD_UID" -> uid = value;
                    default -> {}
                }
            }
        }
        return new PodArgs(namespace, name, uid);
    }

    boolean isKnown() {
        return !namespace.isEmpty() && !name.isEmpty();
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
