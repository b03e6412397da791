// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.model.mesh.Ip;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Probed addresses in sets of nftables, with UIDs as comments. One call at a time.
final class NftProbes implements ProbeSet {
    private static final Pattern ELEMENTS = Pattern.compile("elements = \\{([^}]*)}");
    private static final Pattern ELEMENT = Pattern.compile("\\s*(\\S+)(?:.*comment \"([^\"]*)\")?.*", Pattern.DOTALL);
    private static final String TABLE = NftText.table(Table.NAT);

    private final Nft nft;
    private final Optional<Path> namespace;
    private final RuleContext context;

    NftProbes(Nft nft, Optional<Path> namespace, RuleContext context) {
        this.nft = nft;
        this.namespace = namespace;
        this.context = context;
    }

    /// Makes the sets that are missing.
    static String sets(RuleContext context) {
        var text = new StringBuilder("add table inet " + TABLE + "\n");
        for (var family : context.families().list()) {
            var type = family == Ip.Family.V4 ? "ipv4_addr" : "ipv6_addr";
            text.append("add set inet %s %s { type %s ; }\n".formatted(TABLE, HostPlan.set(family), type));
        }
        return text.toString();
    }

    @Override
    public synchronized void prepare() {
        nft.change(namespace, sets(context));
    }

    @Override
    public synchronized void put(Ip address, String uid) {
        if (isCaptured(address)) {
            // adding alone would keep an old comment; deleting alone fails if there is none
            nft.change(
                    namespace,
                    element("add", address, "")
                            + element("delete", address, "")
                            + element("add", address, " comment \"" + PodUid.require(uid) + "\""));
        }
    }

    @Override
    public synchronized void remove(Ip address, String uid) {
        if (isCaptured(address) && uid.equals(entries(address.family()).get(address))) {
            nft.change(namespace, element("delete", address, ""));
        }
    }

    @Override
    public synchronized Map<Ip, String> entries() {
        var all = new HashMap<Ip, String>();
        context.families().list().forEach(family -> all.putAll(entries(family)));
        return all;
    }

    private Map<Ip, String> entries(Ip.Family family) {
        var found = new HashMap<Ip, String>();
        var elements = ELEMENTS.matcher(nft.show(namespace, "set", "inet", TABLE, HostPlan.set(family)));
        if (elements.find()) {
            for (var text : elements.group(1).split(",", -1)) {
                var element = ELEMENT.matcher(text);
                if (element.matches()) {
                    var uid = Optional.ofNullable(element.group(2)).orElse("");
                    Ip.parse(element.group(1)).ifPresent(address -> found.put(address, uid));
                }
            }
        }
        return found;
    }

    @Override
    public synchronized void flush() {
        var text = new StringBuilder();
        context.families()
                .list()
                .forEach(family -> text.append("flush set inet %s %s\n".formatted(TABLE, HostPlan.set(family))));
        nft.change(namespace, text.toString());
    }

    @Override
    public synchronized void discard() {
        nft.change(namespace, "add table inet %1$s\ndelete table inet %1$s\n".formatted(TABLE));
    }

    private boolean isCaptured(Ip address) {
        return context.families().list().contains(address.family());
    }

    private static String element(String verb, Ip address, String comment) {
        return "%s element inet %s %s { %s%s }\n"
                .formatted(verb, TABLE, HostPlan.set(address.family()), address, comment);
    }
}
