package io.fathom.tools.local;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a Deployment asks for.
record Deployment(String namespace, String name, int replicas, Template template) {
    /// What its pods are made from.
    ///
    /// @param json of the template as it was written
    /// @param hash differs whenever the template does
    /// @param command program and arguments
    record Template(
            String json,
            String hash,
            Map<String, String> labels,
            String account,
            List<String> command,
            List<Variable> environment,
            Optional<Probe> readiness,
            Optional<Probe> liveness) {
        Template {
            labels = Map.copyOf(labels);
            command = List.copyOf(command);
            environment = List.copyOf(environment);
        }
    }

    /// An environment variable.
    record Variable(String name, Value value) {}

    /// Where the value of a variable comes from.
    sealed interface Value {
        record Text(String text) implements Value {}

        record OfPod(Fact fact) implements Value {}

        record OfRun(Place place) implements Value {}
    }

    /// A file of a pod that the mesh keeps for it.
    enum Place {
        ROOT_CERTIFICATE,
        TOKEN,
        SECRETS,
        POD_FOLDER
    }

    enum Fact {
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

    String key() {
        return namespace + "/" + name;
    }
}
