// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A tunnel as a test sees it: opens, writes, and collects what comes.
final class TestTunnel implements TunnelOpening, TunnelListener {
    final CompletableFuture<TunnelOpening.Opened> opened = new CompletableFuture<>();
    final CompletableFuture<HboneFailure> failed = new CompletableFuture<>();
    final CompletableFuture<String> finished = new CompletableFuture<>();
    final CompletableFuture<Tunnel.Reset> reset = new CompletableFuture<>();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    static TunnelKey key(IpPort hop) {
        return key(hop, "10.0.0.1");
    }

    static TunnelKey key(IpPort hop, String sourceIp) {
        return new TunnelKey(
                TestMesh.CLIENT,
                Set.of(TestMesh.SERVER),
                hop,
                Ip.parse(sourceIp).orElseThrow());
    }

    static TunnelKey key(IpPort hop, Set<Identity> accepted) {
        return new TunnelKey(
                TestMesh.CLIENT, accepted, hop, Ip.parse("10.0.0.1").orElseThrow());
    }

    static TestTunnel through(HbonePool pool, TunnelKey key) {
        return through(pool, key, ConnectHeaders.to("10.0.0.2:80"));
    }

    static TestTunnel through(HbonePool pool, TunnelKey key, ConnectHeaders headers) {
        var opened = new TestTunnel();
        pool.open(key, headers, opened);
        return opened;
    }

    @Override
    public void opened(TunnelOpening.Opened tunnel) {
        failed.completeExceptionally(new AssertionError("opened"));
        opened.complete(tunnel);
        tunnel.tunnel().listen(this);
    }

    @Override
    public void failed(HboneFailure failure) {
        failed.complete(failure);
        opened.completeExceptionally(new AssertionError(failure.toString()));
        finished.completeExceptionally(new AssertionError(failure.toString()));
    }

    Tunnel tunnel() {
        return within(opened).tunnel();
    }

    HboneFailure failure() {
        return within(failed);
    }

    static <T> T within(CompletableFuture<T> future) {
        return future.orTimeout(10, TimeUnit.SECONDS).join();
    }

    TestTunnel send(String text) {
        var tunnel = tunnel();
        tunnel.loop().execute(() -> {
            tunnel.write(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
            tunnel.flush();
        });
        return this;
    }

    TestTunnel finish() {
        var tunnel = tunnel();
        tunnel.loop().execute(tunnel::finish);
        return this;
    }

    TestTunnel giveUp(Tunnel.Reset reason) {
        var tunnel = tunnel();
        tunnel.loop().execute(() -> tunnel.reset(reason));
        return this;
    }

    /// All that came until the peer had finished.
    String answer() {
        return within(finished);
    }

    synchronized String soFar() {
        return received.toString(StandardCharsets.UTF_8);
    }

    @Override
    public synchronized void received(ByteBuf data) {
        var bytes = data.readableBytes();
        received.writeBytes(ByteBufUtil.getBytes(data));
        data.release();
        tunnel().consumed(bytes);
    }

    @Override
    public void readComplete() {}

    @Override
    public void writable() {}

    @Override
    public void finished() {
        finished.complete(soFar());
    }

    @Override
    public void reset(Tunnel.Reset reason) {
        reset.complete(reason);
        finished.completeExceptionally(new AssertionError("reset: " + reason));
    }
}
