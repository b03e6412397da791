// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.source;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.tree.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Many objects on an API server, made as fast as it takes them.
public final class Crowd implements AutoCloseable {
    private static final KubeResource ENTRIES =
            new KubeResource("networking.istio.io", "v1", "workloadentries", KubeResource.Scope.NAMESPACE);
    private static final int HANDS = 8;

    private final KubeClient client;

    public Crowd(Path kubeconfig) {
        this.client = new KubeClient(KubeConfig.fromFile(kubeconfig), KubeSettings.DEFAULT);
    }

    public void namespace(String name) {
        client.apply(
                KubeResource.NAMESPACES,
                "",
                name,
                Json.of(Map.of(
                        "apiVersion",
                        "v1",
                        "kind",
                        "Namespace",
                        "metadata",
                        Map.of("name", name, "labels", Map.of("istio.io/dataplane-mode", "ambient")))),
                "verify");
    }

    /// A Service that selects the pods `app: a<number>`.
    public void service(String namespace, int number) {
        client.create(
                KubeResource.SERVICES,
                namespace,
                Json.of(Map.of(
                        "apiVersion",
                        "v1",
                        "kind",
                        "Service",
                        "metadata",
                        Map.of("name", "s" + number),
                        "spec",
                        Map.of(
                                "selector",
                                Map.of("app", "a" + number),
                                "ports",
                                List.of(Map.of("name", "http", "port", 80, "targetPort", 8080))))));
    }

    /// Running pods with these numbers, spread over ten services.
    public void pods(String namespace, int from, int to) {
        each(from, to, number -> {
            pod(namespace, number);
            address(namespace, number, 0);
        });
    }

    private void pod(String namespace, int number) {
        client.create(
                KubeResource.PODS,
                namespace,
                Json.of(Map.of(
                        "apiVersion",
                        "v1",
                        "kind",
                        "Pod",
                        "metadata",
                        Map.of("name", "p" + number, "labels", Map.of("app", "a" + number % 10)),
                        "spec",
                        Map.of(
                                "nodeName",
                                "node-" + number % 50,
                                "serviceAccountName",
                                "default",
                                "automountServiceAccountToken",
                                false,
                                "containers",
                                List.of(Map.of("name", "main", "image", "example.com/main:1"))))));
    }

    /// Gives a pod an address.
    public void address(String namespace, int number, int generation) {
        var ip = IntStream.range(0, 4)
                .mapToObj(i -> Integer.toString(addressOf(number, generation)[i] & 0xff))
                .collect(Collectors.joining("."));
        client.patchStatus(
                KubeResource.PODS,
                namespace,
                "p" + number,
                Json.of(Map.of(
                        "status",
                        Map.of(
                                "phase",
                                "Running",
                                "podIP",
                                ip,
                                "podIPs",
                                List.of(Map.of("ip", ip)),
                                "conditions",
                                List.of(Map.of("type", "Ready", "status", "True"))))));
    }

    /// The address that a pod gets by [#address].
    public static byte[] addressOf(int number, int generation) {
        return new byte[] {10, (byte) (64 + generation * 64 + number / 65_536), (byte) (number / 256), (byte) number};
    }

    public void deletePods(String namespace, int from, int to) {
        each(from, to, number -> {
            // Without a kubelet a pod that is scheduled ends only when its node is told so; a patch of none is a lie.
            client.delete(KubeResource.PODS, namespace, "p" + number);
        });
    }

    public void entries(String namespace, int from, int to) {
        each(
                from,
                to,
                number -> client.create(
                        ENTRIES,
                        namespace,
                        Json.of(Map.of(
                                "apiVersion",
                                ENTRIES.apiVersion(),
                                "kind",
                                "WorkloadEntry",
                                "metadata",
                                Map.of("name", "e" + number, "labels", Map.of("app", "a" + number % 10)),
                                "spec",
                                Map.of(
                                        "address",
                                        "11.%d.%d.%d".formatted(number / 65_536, number / 256 % 256, number % 256))))));
    }

    public void deleteEntries(String namespace, int from, int to) {
        each(from, to, number -> client.delete(ENTRIES, namespace, "e" + number));
    }

    private static void each(int from, int to, IntConsumer work) {
        try (var hands = Executors.newVirtualThreadPerTaskExecutor()) {
            var results = IntStream.range(0, HANDS)
                    .<Future<?>>mapToObj(hand -> hands.submit(() -> {
                        for (var number = from + hand; number < to; number += HANDS) {
                            work.accept(number);
                        }
                    }))
                    .toList();
            for (var result : results) {
                result.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
