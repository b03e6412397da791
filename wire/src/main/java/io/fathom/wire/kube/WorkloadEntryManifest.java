package io.fathom.wire.kube;

/// A WorkloadEntry: a workload outside Kubernetes.
public record WorkloadEntryManifest(Metadata metadata, EntryEndpoint endpoint) implements Manifest {}
