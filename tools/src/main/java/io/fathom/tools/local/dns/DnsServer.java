// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.dns;

import io.fathom.model.mesh.Ip;
import io.fathom.wire.dns.AddressReply;
import io.fathom.wire.dns.DnsQuery;
import io.fathom.wire.dns.DnsQuestion;
import io.fathom.wire.dns.DnsRecord;
import io.fathom.wire.dns.DnsReply;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
    private static final int TTL_SECONDS = 5;
    /// There is no TCP to ask again with, so nothing is left out.
    private static final int LONGEST_ANSWER = 65_507;

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
        var query = DnsQuery.read(Arrays.copyOf(packet.getData(), packet.getLength()));
        var asked = query.flatMap(DnsQuery::question);
        if (query.isEmpty() || asked.isEmpty()) {
            return;
        }
        var question = asked.get();
        var known = names.get().find(question.name());
        if (known.isPresent()) {
            var found = known.get();
            var wantsIpv4 = question.type() == DnsQuestion.A;
            if (found.ips().isPresent() || !wantsIpv4) {
                var ips = wantsIpv4 ? ips(found.ips().orElseThrow()) : List.<Ip>of();
                reply(packet, answer(query.get(), question.name(), found.aliases(), ips));
            } else {
                Thread.ofVirtual().start(() -> followAlias(packet, query.get(), question.name(), found.aliases()));
            }
        } else if (ClusterNames.isOurs(question.name()) || upstream.isEmpty()) {
            reply(packet, DnsReply.noSuchName(query.get()));
        } else {
            var server = upstream.get();
            Thread.ofVirtual().start(() -> passOn(packet, query.get(), server));
        }
    }

    private static List<Ip> ips(List<String> texts) {
        return texts.stream().flatMap(text -> Ip.parse(text).stream()).toList();
    }

    /// @param aliases names that the one in question leads to, in turn; the addresses are of the last
    static byte[] answer(DnsQuery query, String name, List<String> aliases, List<Ip> ips) {
        var records = new ArrayList<DnsRecord>();
        var owner = name;
        for (var alias : aliases) {
            records.add(new DnsRecord.Alias(owner, alias));
            owner = alias;
        }
        for (var ip : ips) {
            records.add(new DnsRecord.Host(owner, ip));
        }
        return DnsReply.answer(query, records, TTL_SECONDS, LONGEST_ANSWER);
    }

    /// Our name leads to one of somebody else.
    private void followAlias(DatagramPacket packet, DnsQuery query, String name, List<String> aliases) {
        try {
            var ask = AddressReply.query(query.id(), aliases.getLast(), DnsQuestion.A);
            var ips = List.<Ip>of();
            if (upstream.isPresent() && ask.isPresent()) {
                var bytes = ask.get().bytes();
                var answer = ask(bytes, bytes.length, upstream.get());
                ips = AddressReply.read(Arrays.copyOf(answer.getData(), answer.getLength()))
                        .ips();
            }
            reply(packet, answer(query, name, aliases, ips));
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

    private void passOn(DatagramPacket packet, DnsQuery query, InetSocketAddress server) {
        try {
            var answer = ask(packet.getData(), packet.getLength(), server);
            socket.send(new DatagramPacket(answer.getData(), answer.getLength(), packet.getSocketAddress()));
        } catch (IOException e) {
            try {
                reply(packet, DnsReply.noSuchName(query));
            } catch (IOException again) {
                log.atDebug().setCause(again).log("a question could not be answered");
            }
        }
    }

    private void reply(DatagramPacket packet, byte[] answer) throws IOException {
        socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
    }
}
