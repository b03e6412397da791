package io.fathom.control.ca;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// Pods that a test adds and removes.
final class TestPods implements PodDirectory {
    private final List<Pod> pods = new CopyOnWriteArrayList<>();

    TestPods add(String namespace, String name, String uid, String account, String node) {
        return add(new Pod(namespace, name, uid, account, node, Phase.RUNNING));
    }

    TestPods add(Pod pod) {
        pods.add(pod);
        return this;
    }

    void remove(String name) {
        pods.removeIf(pod -> pod.name().equals(name));
    }

    @Override
    public Optional<Pod> pod(String namespace, String name) {
        return pods.stream()
                .filter(pod -> pod.namespace().equals(namespace) && pod.name().equals(name))
                .findFirst();
    }

    @Override
    public List<Pod> pods(String node, String namespace, String serviceAccount) {
        return pods.stream()
                .filter(pod -> pod.node().equals(node)
                        && pod.namespace().equals(namespace)
                        && pod.serviceAccount().equals(serviceAccount))
                .toList();
    }
}
