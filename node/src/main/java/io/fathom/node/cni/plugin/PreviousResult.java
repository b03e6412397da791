// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.plugin.CniException.Code;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// What the plugins before us did, which is also what we answer: it is passed on as it came.
///
/// @param result a map; nothing when we are the first
record PreviousResult(Optional<Tree> result) {
    /// An address of the pod.
    ///
    /// @param device index of the interface that has it, if told
    /// @param prefix length of its network's prefix
    record ResultAddress(OptionalInt device, Ip ip, int prefix, Optional<Ip> gateway) {
        /// The prefix as a mask of as many bytes as the address has.
        byte[] mask() {
            var mask = new byte[ip.family().bits() / 8];
            for (var bit = 0; bit < prefix; bit++) {
                mask[bit / 8] |= (byte) (0x80 >> bit % 8);
            }
            return mask;
        }
    }

    /// The pod's addresses, in the form of any version.
    List<ResultAddress> addresses() {
        var addresses = new ArrayList<ResultAddress>();
        if (result.isPresent()) {
            var root = Field.root(result.get());
            for (var family : List.of("ip4", "ip6")) { // up to 0.2.0
                if (root.at(family).isPresent()) {
                    addresses.add(address(root.at(family), root.at(family).at("ip")));
                }
            }
            for (var ip : root.at("ips").items()) {
                addresses.add(address(ip, ip.at("address")));
            }
        }
        return addresses;
    }

    private static ResultAddress address(Field entry, Field block) {
        var text = block.requiredText();
        var slash = text.indexOf('/');
        var ip = Ip.parse(slash < 0 ? text : text.substring(0, slash)).orElseThrow(() -> noAddress(text));
        var gateway = entry.at("gateway").text();
        return new ResultAddress(
                entry.at("interface").integer(0, Integer.MAX_VALUE),
                ip,
                slash < 0 ? ip.family().bits() : prefix(ip, text, text.substring(slash + 1)),
                gateway.isEmpty()
                        ? Optional.empty()
                        : Optional.of(Ip.parse(gateway).orElseThrow(() -> noAddress(gateway))));
    }

    private static int prefix(Ip ip, String text, String digits) {
        try {
            var prefix = Integer.parseInt(digits);
            if (prefix >= 0 && prefix <= ip.family().bits()) {
                return prefix;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw noAddress(text);
    }

    private static CniException noAddress(String text) {
        return new CniException(Code.DECODING_FAILURE, "prevResult holds \"" + text + "\", which is no address", "");
    }

    /// What goes to standard output.
    String json(CniVersion version) {
        var entries = new LinkedHashMap<String, Tree>();
        if (result.orElse(Json.NOTHING) instanceof Tree.Mapping mapping) {
            entries.putAll(mapping.entries());
        } else {
            entries.put("dns", Json.of(new LinkedHashMap<String, Tree>()));
        }
        entries.put("cniVersion", Json.of(version.toString()));
        return Json.pretty(Json.of(entries));
    }
}
