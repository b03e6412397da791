// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.node.cni.rules.CaptureSettings.DnsCapture;
import io.fathom.node.cni.rules.CaptureSettings.InboundCapture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Settings whose rules are kept under `src/test/resources/rules`: what we write for IPv4 and IPv6, and what
/// `iptables-save` says then. `-Dfathom.golden=write` rewrites them.
enum GoldenRules {
    PLAIN(CaptureSettings.of(DnsCapture.LEFT_ALONE)),
    DNS(CaptureSettings.of(DnsCapture.CAPTURED)),
    INGRESS(new CaptureSettings(DnsCapture.LEFT_ALONE, InboundCapture.LEFT_ALONE, List.of())),
    VIRTUAL_INTERFACES(new CaptureSettings(DnsCapture.LEFT_ALONE, InboundCapture.CAPTURED, List.of("eth1", "tap+"))),
    ALL(new CaptureSettings(DnsCapture.CAPTURED, InboundCapture.LEFT_ALONE, List.of("eth1")));

    private static final Path FOLDER = Path.of("src/test/resources/rules");

    @SuppressWarnings("ImmutableEnumChecker") // it copies its list
    private final CaptureSettings settings;

    GoldenRules(CaptureSettings settings) {
        this.settings = settings;
    }

    CaptureSettings settings() {
        return settings;
    }

    /// The stored text; the given one first becomes it, if files are to be rewritten.
    String stored(String file, String current) {
        var path = FOLDER.resolve(name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'))
                .resolve(file);
        try {
            if ("write".equals(System.getProperty("fathom.golden"))) {
                Files.createDirectories(path.getParent());
                Files.writeString(path, current);
            }
            return Files.readString(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// One entry for each rule, chain by chain: the same for every version of the tools.
    static List<String> meaning(String saved) {
        var lines = new ArrayList<String>();
        SavedRules.parse(saved)
                .tables()
                .forEach((table, chains) -> chains.forEach((chain, rules) -> {
                    rules.forEach(rule -> lines.add(table.word() + " " + chain + " " + RuleForm.of(rule)));
                }));
        return lines.stream()
                .sorted((one, other) -> key(one).compareTo(key(other))) // stable: rules of a chain stay in order
                .toList();
    }

    private static String key(String line) {
        return line.substring(0, line.indexOf(" RuleForm"));
    }
}
