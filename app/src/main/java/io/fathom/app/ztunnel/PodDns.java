// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.model.mesh.IpPort;
import io.fathom.node.dns.DnsConfig;
import io.fathom.node.dns.DnsObserver;
import io.fathom.node.dns.DnsProxy;
import io.fathom.node.dns.ResolvConf;
import io.fathom.node.proxy.LocalPod;
import io.fathom.node.proxy.pod.PodPart;
import io.fathom.node.socket.Sockets;
import io.netty.channel.EventLoopGroup;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// Answers DNS in each pod.
record PodDns(
        EventLoopGroup loops,
        Supplier<ResolvConf> servers,
        DnsConfig config,
        List<IpPort> addresses,
        DnsObserver observer,
        InstantSource clock,
        RandomGenerator random)
        implements PodPart {
    @Override
    public Running start(LocalPod pod, Sockets sockets) {
        var resolver = pod.info().resolver();
        var proxy = DnsProxy.start(
                new DnsProxy.Setup(
                        loops.next(),
                        sockets,
                        pod.mesh()::view,
                        pod::await,
                        () -> servers.get().with(resolver),
                        config.of(resolver),
                        observer,
                        clock,
                        random),
                addresses);
        return proxy::close;
    }
}
