// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.base.testkit.TestCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// A stock node proxy on node 2 in place of ours, in the very pod that our chart makes for ours. Closing puts ours
/// back.
final class StockProxy implements AutoCloseable {
    private static final String NAME = "ztunnel-stock";
    private static final String IMAGE = "localhost/ztunnel-stock:1";
    private static final String HOST = "kubernetes.io/hostname";

    private final KubeMesh mesh;

    StockProxy(KubeMesh mesh, Path program) {
        this.mesh = mesh;
        var tar = mesh.home().resolve("stock.tar").toString();
        var kube = KubeMesh.ROOT.resolve("verify/kube");
        run(kube.resolve("image").toString(), IMAGE, tar, "--add", program + "=/ztunnel", "--entrypoint", "/ztunnel");
        run(kube.resolve("load").toString(), Integer.toString(mesh.number()), "2", tar);
        var ours = (ObjectNode) mesh.get("-n", "istio-system", "daemonset", "ztunnel");
        var stock = ours.deepCopy();
        stock.remove("status");
        stock.putObject("metadata").put("name", NAME).put("namespace", "istio-system");
        ((ObjectNode) stock.at("/spec/selector/matchLabels")).put("proxy", "stock");
        ((ObjectNode) stock.at("/spec/template/metadata/labels")).put("proxy", "stock");
        ((ObjectNode) stock.at("/spec/template/spec")).putObject("nodeSelector").put(HOST, node(2));
        ((ObjectNode) stock.at("/spec/template/spec/containers/0")).put("image", IMAGE);
        mesh.apply(stock.toString());
        rollOut("daemonset/" + NAME); // before ours leaves: somebody is always there
        keepOurs("\"" + node(1) + "\"");
        rollOut("daemonset/ztunnel");
    }

    private void keepOurs(String host) {
        var patch = "{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{\"" + HOST + "\":" + host + "}}}}}";
        var _ = mesh.kubectl("-n", "istio-system", "patch", "daemonset", "ztunnel", "--type=merge", "-p", patch);
    }

    private void rollOut(String what) {
        var _ = mesh.kubectl("-n", "istio-system", "rollout", "status", what, "--timeout=240s");
    }

    private String node(int number) {
        return "c" + mesh.number() + "-n" + number;
    }

    private static void run(String... line) {
        var _ = TestCommand.of(List.of(line), Map.of()).run().expect(line[0]);
    }

    String log() {
        return mesh.kubectl("-n", "istio-system", "logs", "daemonset/" + NAME, "--tail=-1");
    }

    @Override
    public void close() {
        keepOurs("null");
        rollOut("daemonset/ztunnel");
        var _ = mesh.kubectl("-n", "istio-system", "delete", "daemonset", NAME);
    }
}
