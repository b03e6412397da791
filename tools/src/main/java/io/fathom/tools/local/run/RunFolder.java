// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.run;

import java.nio.file.Files;
import java.nio.file.Path;

/// Where a running mesh keeps what belongs to it. Everything in it goes with the mesh.
///
/// @param up how people call `bin/up` for this mesh, for hints: with `--run-dir` if that is not the usual one
public record RunFolder(Path root, String up) {
    /// Whether the mesh has a network of its own, which the machine is no part of.
    public boolean isRootless() {
        return Files.exists(root.resolve("rootless"));
    }

    /// The folder of one of several clusters.
    public RunFolder cluster(String name) {
        return new RunFolder(root.resolve(name), up + " --cluster " + name);
    }

    /// The names of the clusters, one to a line, where there are several.
    public Path clusters() {
        return root.resolve("clusters");
    }

    /// What the management server of several clusters keeps, where there is one.
    public Path fleet() {
        return root.resolve("fleet");
    }

    /// The port where that server is asked.
    public Path fleetPort() {
        return root.resolve("fleet-port");
    }

    /// What the agent of a cluster must not forget.
    public Path agent() {
        return root.resolve("agent");
    }

    /// What a cluster has unless somebody says otherwise.
    public Path defaults() {
        return root.resolve("defaults");
    }

    /// What tools have applied to a cluster, as they would through its API server.
    public Path applied() {
        return root.resolve("applied");
    }

    /// The objects that programs write: pods, nodes, Services with their addresses.
    public Path objects() {
        return root.resolve("objects");
    }

    /// How far a start has come, for whoever waits for it.
    public Path progress() {
        return root.resolve("progress");
    }

    /// What runs, as JSON.
    public Path status() {
        return root.resolve("status.json");
    }

    /// The name of the link that the machine has for the mesh, for those who wait until it is gone.
    public Path link() {
        return root.resolve("link");
    }

    public Path log(String program) {
        return logs().resolve(program + ".log");
    }

    public Path logs() {
        return root.resolve("logs");
    }

    public Path tokens() {
        return root.resolve("tokens");
    }

    /// The token of a node proxy.
    public Path token(String node) {
        return tokens().resolve("istio-system").resolve("ztunnel-" + node).resolve("istio-token");
    }

    /// The token of a proxy that orders a certificate for itself.
    public Path token(String namespace, String pod) {
        return tokens().resolve(namespace).resolve(pod).resolve("istio-token");
    }

    public Path authority() {
        return root.resolve("ca.pem");
    }

    /// What the control plane must not forget when it is started again.
    public Path state() {
        return root.resolve("state");
    }

    public Path rootCertificate() {
        return root.resolve("root-cert.pem");
    }

    /// Sockets of the agent and the proxy of a node.
    public Path node(String name) {
        return root.resolve(name);
    }

    public Path proxySocket(String node) {
        return node(node).resolve("ztunnel.sock");
    }

    public Path pluginSocket(String node) {
        return node(node).resolve("pluginevent.sock");
    }

    /// The network namespace of a node, or of what joins them.
    public Path namespace(String name) {
        return root.resolve("netns").resolve(name);
    }

    /// The network namespaces of pods, by uid.
    public Path podNamespaces() {
        return root.resolve("netns").resolve("pods");
    }

    public Path podNamespace(String uid) {
        return podNamespaces().resolve(uid);
    }

    /// What `bin/up exec` needs to know of a pod.
    public Path pod(String namespace, String name) {
        return root.resolve("pods").resolve(namespace + "_" + name);
    }
}
