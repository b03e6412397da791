// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.local.run.RunFolder;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Asks the agent of a node, with the very request that the network plugin of a cluster makes. Any thread.
public final class AgentSocket implements Enrolment {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PATIENCE = 10;
    private static final int MOST = 64 << 10;
    private static final String CLASS_C = "////AA=="; // 255.255.255.0

    private final RunFolder run;

    public AgentSocket(RunFolder run) {
        this.run = run;
    }

    @Override
    public void enrol(String node, String namespace, String pod, Path networkNamespace, String ip) {
        var body = JSON.createObjectNode()
                .put("Netns", networkNamespace.toString())
                .put("PodName", pod)
                .put("PodNamespace", namespace);
        var address = body.putArray("IPs").addObject();
        address.putNull("Interface").putObject("Address").put("IP", ip).put("Mask", CLASS_C);
        address.put("Gateway", "");
        var answer = post(node, body.toString());
        if (!answer.startsWith("HTTP/1.1 200")) {
            var text = answer.contains("\r\n\r\n") ? answer.substring(answer.indexOf("\r\n\r\n") + 4) : answer;
            throw refused(node, pod, text.strip());
        }
    }

    private String post(String node, String body) {
        var request = "POST /cmdadd HTTP/1.1\r\nHost: unix\r\nContent-Type: application/json\r\n"
                + "Content-Length: %d\r\nConnection: close\r\n\r\n%s".formatted(body.length(), body);
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(run.pluginSocket(node)))) {
            var timer = CompletableFuture.delayedExecutor(PATIENCE, TimeUnit.SECONDS);
            var _ = CompletableFuture.runAsync(() -> close(channel), timer);
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            return new String(Channels.newInputStream(channel).readNBytes(MOST), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw refused(node, "any pod", e.toString());
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException _) {
            // It was closed before.
        }
    }

    private ProblemException refused(String node, String pod, String why) {
        var words = List.of("the agent of", node, "did not capture", pod + ":", why);
        return new ProblemException(new Problem(
                "pod-not-captured",
                String.join(" ", words),
                "see " + run.up() + " logs fathom-cni-" + node,
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }
}
