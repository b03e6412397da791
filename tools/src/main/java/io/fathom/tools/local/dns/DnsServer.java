// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.dns;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The name server of the cluster, for whom the node proxies do not answer: knows the Services, and asks the machine's
/// own name server about the rest of the world. UDP only; one thread listens, each question that is passed on has a
/// virtual one.
public final class DnsServer {
    private static final Logger log = LoggerFactory.getLogger(DnsServer.class);
    private static final int PORT = 53;
    private static final int LARGEST = 4096;
    private static final int PATIENCE = 3000;

    private final DatagramSocket socket;
    private final Supplier<ClusterNames> names;
    private final Optional<InetSocketAddress> upstream;

    private DnsServer(DatagramSocket socket, Supplier<ClusterNames> names, Optional<InetSocketAddress> upstream) {
        this.socket = socket;
        this.names = names;
        this.upstream = upstream;
    }

    public static void start(String address, Supplier<ClusterNames> names) throws IOException {
        var socket = new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral(address), PORT));
        var server = new DnsServer(socket, names, upstream());
        Thread.ofPlatform().daemon().name("dns").start(server::listen);
    }

    private static Optional<InetSocketAddress> upstream() throws IOException {
        var file = Path.of("/etc/resolv.conf");
        var lines = Files.isReadable(file) ? Files.readAllLines(file) : List.<String>of();
        return lines.stream()
                .filter(line -> line.matches("nameserver\\s+[0-9.]+\\s*"))
                .map(line -> new InetSocketAddress(InetAddress.ofLiteral(line.split("\\s+", -1)[1]), PORT))
                .findFirst();
    }

    private void listen() {
        while (true) {
            var packet = new DatagramPacket(new byte[LARGEST], LARGEST);
            try {
                socket.receive(packet);
                answer(packet);
            } catch (IOException | RuntimeException e) {
                log.atDebug().setCause(e).log("a question could not be answered");
            }
        }
    }

    private void answer(DatagramPacket packet) throws IOException {
        var asked = DnsAnswer.question(packet.getData(), packet.getLength());
        if (asked.isEmpty()) {
            return;
        }
        var question = asked.get();
        var known = names.get().find(question.name());
        if (known.isPresent()) {
            var found = known.get();
            if (found.ips().isPresent() || !question.wantsIpv4()) {
                var ips = question.wantsIpv4() ? found.ips().orElseThrow() : List.<String>of();
                reply(packet, DnsAnswer.of(question, DnsAnswer.FINE, found.aliases(), ips));
            } else {
                Thread.ofVirtual().start(() -> followAlias(packet, question, found.aliases()));
            }
        } else if (ClusterNames.isOurs(question.name()) || upstream.isEmpty()) {
            reply(packet, DnsAnswer.of(question, DnsAnswer.NO_SUCH_NAME, List.of()));
        } else {
            var server = upstream.get();
            Thread.ofVirtual().start(() -> passOn(packet, question, server));
        }
    }

    /// Our name leads to one of somebody else.
    private void followAlias(DatagramPacket packet, DnsAnswer.Question question, List<String> aliases) {
        try {
            var ips = List.<String>of();
            if (upstream.isPresent()) {
                var ask = DnsAnswer.ask(question.id(), aliases.getLast());
                var answer = ask(ask, ask.length, upstream.get());
                ips = DnsAnswer.addresses(answer.getData(), answer.getLength());
            }
            reply(packet, DnsAnswer.of(question, DnsAnswer.FINE, aliases, ips));
        } catch (IOException e) {
            log.atDebug().setCause(e).log("an alias could not be followed");
        }
    }

    private static DatagramPacket ask(byte[] question, int length, InetSocketAddress server) throws IOException {
        try (var out = new DatagramSocket()) {
            out.setSoTimeout(PATIENCE);
            out.send(new DatagramPacket(question, length, server));
            var answer = new DatagramPacket(new byte[LARGEST], LARGEST);
            out.receive(answer);
            return answer;
        }
    }

    private void passOn(DatagramPacket packet, DnsAnswer.Question question, InetSocketAddress server) {
        try {
            var answer = ask(packet.getData(), packet.getLength(), server);
            socket.send(new DatagramPacket(answer.getData(), answer.getLength(), packet.getSocketAddress()));
        } catch (IOException e) {
            try {
                reply(packet, DnsAnswer.of(question, DnsAnswer.NO_SUCH_NAME, List.of()));
            } catch (IOException again) {
                log.atDebug().setCause(again).log("a question could not be answered");
            }
        }
    }

    private void reply(DatagramPacket packet, byte[] answer) throws IOException {
        socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
    }
}
