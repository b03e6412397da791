// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// A program built by `verify/peers/install`.
public enum StockProgram {
    CNI_LOOPBACK("loopback"),
    CNITOOL("cnitool"),
    COREDNS("coredns"),
    CRICTL("crictl"),
    ENVOY("envoy"),
    ETCD("etcd"),
    FORTIO("fortio"),
    GRPCURL("grpcurl"),
    H2SPEC("h2spec"),
    HELM("helm"),
    ISTIOCTL("istioctl"),
    ISTIO_CNI("istio-cni"),
    ISTIOD("istiod"),
    KUBECTL("kubectl"),
    KUBELET("kubelet"),
    KUBE_APISERVER("kube-apiserver"),
    KUBE_CONTROLLER_MANAGER("kube-controller-manager"),
    KUBE_PROXY("kube-proxy"),
    KUBE_SCHEDULER("kube-scheduler"),
    VAULT("vault");

    private final String file;

    StockProgram(String file) {
        this.file = file;
    }

    /// Where it is, if it is there.
    public Optional<Path> find() {
        return Optional.of(cache().resolve("bin").resolve(file)).filter(Files::isExecutable);
    }

    /// Where it is; the test is skipped, and says why, when it is not.
    public Path require() {
        var path = cache().resolve("bin").resolve(file);
        assumeTrue(
                Files.isExecutable(path),
                () -> "skipped: no " + file + " in " + path.getParent() + "; run verify/peers/install " + file);
        return path;
    }

    /// The custom resource definitions of Istio and the Gateway API; skips like `require`.
    public static Path requireDefinitions() {
        var folder = cache().resolve("crds");
        assumeTrue(Files.isDirectory(folder), () -> "skipped: no " + folder + "; run verify/peers/install crds");
        return folder;
    }

    /// The OpenAPI document of Kubernetes and Istio's lists of labels and annotations; skips like `require`.
    public static Path requireSchemas() {
        var folder = cache().resolve("schemas");
        assumeTrue(Files.isDirectory(folder), () -> "skipped: no " + folder + "; run verify/peers/install schemas");
        return folder;
    }

    private static Path cache() {
        return Optional.ofNullable(System.getenv("FATHOM_CACHE"))
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache", "fathom"))
                .resolve("peers");
    }
}
