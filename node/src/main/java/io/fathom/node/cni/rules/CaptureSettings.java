// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Truth;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// What is captured of one pod.
///
/// @param virtualInterfaces names of interfaces in the pod behind which there are others, such as virtual machines:
///     TCP that enters there is treated like the pod's own; a name may end with `+`, for all that begin so
public record CaptureSettings(DnsCapture dns, InboundCapture inbound, List<String> virtualInterfaces) {
    static final String DNS_CAPTURE = "ambient.istio.io/dns-capture";
    static final String BYPASS_INBOUND = "ambient.istio.io/bypass-inbound-capture";
    static final String VIRTUAL_INTERFACES = "istio.io/reroute-virtual-interfaces";

    // They become words of a rule, so nothing that could end the word.
    private static final Pattern INTERFACE = Pattern.compile("[A-Za-z0-9_.:@-]{1,15}|[A-Za-z0-9_.:@-]{0,14}\\+");

    public enum DnsCapture {
        CAPTURED,
        LEFT_ALONE
    }

    public enum InboundCapture {
        CAPTURED,
        /// An ingress gateway that is in the mesh only as a client.
        LEFT_ALONE
    }

    public CaptureSettings {
        virtualInterfaces = List.copyOf(virtualInterfaces);
        for (var name : virtualInterfaces) {
            if (!INTERFACE.matcher(name).matches()) {
                throw new IllegalArgumentException("no name of an interface: " + name);
            }
        }
    }

    /// What a pod gets that asks for nothing.
    public static CaptureSettings of(DnsCapture dns) {
        return new CaptureSettings(dns, InboundCapture.CAPTURED, List.of());
    }

    /// As a pod's annotations ask. Words that are not booleans are ignored; a name that no interface can have is
    /// refused, since what is behind it would stay uncaptured.
    public static CaptureSettings of(Map<String, String> annotations, DnsCapture everywhere) {
        var dns = bool(annotations, DNS_CAPTURE)
                .map(yes -> yes ? DnsCapture.CAPTURED : DnsCapture.LEFT_ALONE)
                .orElse(everywhere);
        var inbound =
                bool(annotations, BYPASS_INBOUND).orElse(false) ? InboundCapture.LEFT_ALONE : InboundCapture.CAPTURED;
        var names = annotations.getOrDefault(VIRTUAL_INTERFACES, "");
        try {
            return new CaptureSettings(dns, inbound, names(names));
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Problem.ofInput(
                    "bad-virtual-interface",
                    "annotation " + VIRTUAL_INTERFACES + " has \"" + names + "\"",
                    "list names of interfaces, of up to 15 letters and digits each, separated by commas"));
        }
    }

    private static List<String> names(String list) {
        return Arrays.stream(list.split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList();
    }

    private static Optional<Boolean> bool(Map<String, String> annotations, String name) {
        return Optional.ofNullable(annotations.get(name)).flatMap(Truth::parse);
    }
}
