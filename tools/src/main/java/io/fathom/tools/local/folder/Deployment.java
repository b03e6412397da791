// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/// What a Deployment asks for, or a StatefulSet, or a Pod that stands by itself.
public record Deployment(DeploymentKind kind, String namespace, String name, int replicas, Template template) {
    /// What it is, and by that what its pods are called.
    public enum DeploymentKind {
        /// Its pods have names by chance.
        DEPLOYMENT("Deployment"),
        /// Its pods are counted from 0; each is started once those before it are ready.
        STATEFUL_SET("StatefulSet"),
        /// The same, all at once.
        PARALLEL_STATEFUL_SET("StatefulSet"),
        /// Is its only pod.
        POD("Pod");

        private final String title;

        DeploymentKind(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /// When the process of a pod is started again after its end.
    public enum Restart {
        ALWAYS,
        ON_FAILURE,
        NEVER;

        public boolean applies(int exitCode) {
            return switch (this) {
                case ALWAYS -> true;
                case ON_FAILURE -> exitCode != 0;
                case NEVER -> false;
            };
        }
    }

    /// What its pods are made from.
    ///
    /// @param json of the template as it was written
    /// @param hash differs whenever the template does
    /// @param command program and arguments
    /// @param ports of the container by their names
    public record Template(
            String json,
            String hash,
            Map<String, String> labels,
            String account,
            List<String> command,
            List<Variable> environment,
            Map<String, Integer> ports,
            Restart restart,
            Optional<Probe> readiness,
            Optional<Probe> liveness) {
        public Template {
            labels = Map.copyOf(labels);
            command = List.copyOf(command);
            environment = List.copyOf(environment);
            ports = Map.copyOf(ports);
        }
    }

    /// An environment variable.
    public record Variable(String name, Value value) {}

    /// Where the value of a variable comes from.
    public sealed interface Value {
        record Text(String text) implements Value {}

        record OfPod(Fact fact) implements Value {}

        record OfRun(PodFile place) implements Value {}
    }

    /// A file of a pod that the mesh keeps for it.
    public enum PodFile {
        ROOT_CERTIFICATE,
        TOKEN,
        SECRETS,
        POD_FOLDER
    }

    public enum Fact {
        NAME("metadata.name"),
        NAMESPACE("metadata.namespace"),
        IP("status.podIP"),
        NODE("spec.nodeName");

        private final String path;

        Fact(String path) {
            this.path = path;
        }

        String path() {
            return path;
        }
    }

    /// Different for each, also if a Deployment and a StatefulSet share a name.
    public String key() {
        return namespace + "/" + name + (kind == DeploymentKind.DEPLOYMENT ? "" : " " + kind.title());
    }

    /// The names of its pods, in their order; empty if chance decides.
    public List<String> podNames() {
        return switch (kind) {
            case DEPLOYMENT -> List.of();
            case STATEFUL_SET, PARALLEL_STATEFUL_SET ->
                IntStream.range(0, replicas).mapToObj(i -> name + "-" + i).toList();
            case POD -> List.of(name);
        };
    }
}
