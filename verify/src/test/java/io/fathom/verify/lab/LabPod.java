// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import io.fathom.base.testkit.TestNamespace;

/// A pod of the lab: a network namespace with an entry in the manifests. Its service account has its name.
public record LabPod(String name, String ip, String node, TestNamespace namespace) {
    static final String NAMESPACE = "lab";

    String uid() {
        return "uid-" + name;
    }

    String account() {
        return name;
    }

    String manifest() {
        return """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                  namespace: lab
                  uid: uid-%1$s
                  labels: {app: %1$s}
                  annotations: {ambient.istio.io/redirection: enabled}
                spec: {nodeName: %3$s, serviceAccountName: %1$s, containers: [{name: main, image: none}]}
                status:
                  phase: Running
                  podIP: %2$s
                  conditions: [{type: Ready, status: "True"}]
                """.formatted(name, ip, node);
    }

    /// As its API object would look while it runs; nobody has captured it yet.
    String runningObject() {
        return object("""
                "phase":"Running","podIP":"%s","conditions":[{"type":"Ready","status":"True"}]""".formatted(ip));
    }

    /// Before its network is known to anybody.
    String startingObject() {
        return object("\"phase\":\"Pending\"");
    }

    private String object(String status) {
        return """
                {"apiVersion":"v1","kind":"Pod",
                 "metadata":{"name":"%1$s","namespace":"lab","uid":"uid-%1$s","labels":{"app":"%1$s"}},
                 "spec":{"nodeName":"%2$s","serviceAccountName":"%1$s","containers":[{"name":"main","image":"none"}]},
                 "status":{%3$s}}""".formatted(name, node, status);
    }
}
