package io.fathom.wire.zds;

/// Who a pod is, as Kubernetes names it.
///
/// @param uid the pod's UID; another pod of the same name has another one
public record PodInfo(String uid, String name, String namespace, String serviceAccount) {}
