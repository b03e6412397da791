package io.fathom.verify.lab;

import io.fathom.base.testkit.TestNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

/// Redirects the traffic of a pod to the node proxy, as the node agent does.
final class PodRules {
    private static final String RULES = """
            *mangle
            :ISTIO_PRERT - [0:0]
            :ISTIO_OUTPUT - [0:0]
            -A PREROUTING -j ISTIO_PRERT
            -A OUTPUT -j ISTIO_OUTPUT
            -A ISTIO_PRERT -m mark --mark 0x539/0xfff -j CONNMARK --set-xmark 0x111/0xfff
            -A ISTIO_OUTPUT -m connmark --mark 0x111/0xfff -j CONNMARK --restore-mark --nfmask 0xffffffff --ctmask 0xffffffff
            COMMIT
            *nat
            :ISTIO_PRERT - [0:0]
            :ISTIO_OUTPUT - [0:0]
            -A OUTPUT -j ISTIO_OUTPUT
            -A PREROUTING -j ISTIO_PRERT
            -A ISTIO_PRERT -s 169.254.7.127/32 -p tcp -m tcp -j ACCEPT
            -A ISTIO_PRERT ! -d 127.0.0.1/32 -p tcp ! --dport 15008 -m mark ! --mark 0x539/0xfff -j REDIRECT --to-ports 15006
            -A ISTIO_OUTPUT -d 169.254.7.127/32 -p tcp -m tcp -j ACCEPT
            -A ISTIO_OUTPUT -p tcp -m mark --mark 0x111/0xfff -j ACCEPT
            -A ISTIO_OUTPUT ! -d 127.0.0.1/32 -o lo -j ACCEPT
            -A ISTIO_OUTPUT ! -d 127.0.0.1/32 -p tcp -m mark ! --mark 0x539/0xfff -j REDIRECT --to-ports 15001
            COMMIT
            """;

    private PodRules() {}

    static void capture(TestNamespace pod) {
        pod.run("ip", "route", "replace", "local", "0.0.0.0/0", "dev", "lo", "table", "100");
        pod.run("ip", "rule", "add", "fwmark", "0x111/0xfff", "pref", "32764", "lookup", "100");
        try {
            var file = Files.createTempFile("rules", ".txt");
            try {
                Files.writeString(file, RULES);
                pod.run("iptables-restore", "--noflush", file.toString());
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
