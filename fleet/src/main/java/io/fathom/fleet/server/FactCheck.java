// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.FleetDown.Rejection;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.mesh.Ip;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.pki.TrustRoots;
import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Whether what a cluster says of its gateway is handed on to others. Pure.
final class FactCheck {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
    private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{64}");
    private static final int MOST_CANDIDATES = 16;
    private static final int MOST_SHOWN = 100;

    private static final int MOST_ISSUERS = 16;
    private static final int MOST_ROOTS = 8;
    private static final int MOST_BYTES_OF_ROOTS = 16 * 1024;

    private FactCheck() {}

    /// Why it does not count; nothing if it does.
    ///
    /// @param namespaces that gateways may be in
    /// @param others all other clusters
    static Optional<Rejection> rejection(
            GatewayFact fact, Registration origin, Set<String> namespaces, Collection<Registration> others) {
        return form(fact).or(() -> bounds(fact, origin, namespaces, others)).or(() -> addresses(fact, others));
    }

    private static Optional<Rejection> form(GatewayFact fact) {
        var name = fact.id().substring(fact.id().indexOf('/') + 1);
        var isFine = LABEL.matcher(fact.namespace()).matches()
                && NAME.matcher(name).matches()
                && NAME.matcher(fact.serviceAccount()).matches()
                && NAME.matcher(fact.trustDomain()).matches()
                && WORD.matcher(fact.network()).matches()
                && isWordOrNothing(fact.place().region())
                && isWordOrNothing(fact.place().zone())
                && fact.issuers().size() <= MOST_ISSUERS
                && fact.issuers().stream()
                        .allMatch(key -> FINGERPRINT.matcher(key).matches());
        return isFine
                ? audience(fact)
                : rejected(
                        fact,
                        "fact-malformed",
                        "names of gateway, account, network, trust domain or place are no names, or issuers no fingerprints");
    }

    private static Optional<Rejection> audience(GatewayFact fact) {
        var mistakes = fact.audience().mistakes();
        return mistakes.isEmpty()
                ? Optional.empty()
                : rejected(
                        fact,
                        "audience-malformed",
                        "distribute-to: '" + shortened(mistakes.getFirst())
                                + "' is neither a name of a cluster nor label:KEY=VALUE");
    }

    private static String shortened(String text) {
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "...";
    }

    private static boolean isWordOrNothing(String text) {
        return text.isEmpty() || WORD.matcher(text).matches();
    }

    private static Optional<Rejection> bounds(
            GatewayFact fact, Registration origin, Set<String> namespaces, Collection<Registration> others) {
        if (!namespaces.contains(fact.namespace())) {
            return rejected(
                    fact,
                    "namespace-not-allowed",
                    "gateways of this fleet are in " + namespaces + ", not in " + fact.namespace());
        }
        if (!origin.bounds().allowsTrustDomain(fact.trustDomain())) {
            return rejected(
                    fact,
                    "trust-domain-not-registered",
                    "the cluster is registered with trust domains "
                            + origin.bounds().trustDomains() + ", not " + fact.trustDomain());
        }
        if (!origin.bounds().allowsNetwork(fact.network())) {
            return rejected(
                    fact,
                    "network-not-registered",
                    "the cluster is registered with networks " + origin.bounds().networks() + ", not "
                            + fact.network());
        }
        var owner = origin.bounds().networks().isEmpty() ? ownerOf(fact.network(), others) : Optional.<String>empty();
        return owner.flatMap(cluster ->
                rejected(fact, "network-taken", "network " + fact.network() + " is that of cluster " + cluster));
    }

    /// Why its roots do not count; nothing if they do. Nobody gets a say in a trust domain for which another member
    /// has told a root already, unless that member told the same ones.
    static Optional<Rejection> objectionToRoots(GatewayFact fact, Collection<Registration> others) {
        var roots = fact.roots();
        if (roots.size() > MOST_ROOTS
                || roots.stream().mapToInt(root -> root.der().length).sum() > MOST_BYTES_OF_ROOTS) {
            return rejected(
                    fact,
                    "trust-bundle-size",
                    "a cluster has at most " + MOST_ROOTS + " roots and " + MOST_BYTES_OF_ROOTS + " bytes of them");
        }
        for (var root : roots) {
            var reason = objection(root);
            if (reason.isPresent()) {
                return rejected(fact, reason.get(), "root " + root.fingerprint() + " may vouch for nobody");
            }
        }
        return others.stream()
                .filter(other -> other.isMember() && hasOtherRoots(other, fact))
                .map(Registration::name)
                .sorted()
                .findFirst()
                .flatMap(owner -> rejected(
                        fact,
                        "trust-domain-taken",
                        "trust domain " + fact.trustDomain() + " is that of cluster " + owner
                                + ", which has not told all of these roots"));
    }

    /// What is wrong with a root, as a code.
    private static Optional<String> objection(TrustRoot root) {
        try {
            var certificate = TrustRoots.certificates(List.of(root)).getFirst();
            if (!TrustRoots.of(certificate).equals(root)) {
                return Optional.of("trust-root-malformed"); // there is something behind it
            }
            return TrustRoots.isAuthority(certificate) ? Optional.empty() : Optional.of("trust-root-no-authority");
        } catch (IllegalArgumentException _) {
            return Optional.of("trust-root-malformed");
        }
    }

    private static boolean hasOtherRoots(Registration other, GatewayFact fact) {
        return other.gateway()
                .filter(theirs -> theirs.trustDomain().equals(fact.trustDomain()))
                .map(GatewayFact::roots)
                .filter(theirs -> !theirs.isEmpty() && !theirs.containsAll(fact.roots()))
                .isPresent();
    }

    /// Which of these members is on a network.
    static Optional<String> ownerOf(String network, Collection<Registration> registrations) {
        return registrations.stream()
                .filter(other -> other.isMember() && other.bounds().networks().contains(network))
                .map(Registration::name)
                .sorted()
                .findFirst();
    }

    private static Optional<Rejection> addresses(GatewayFact fact, Collection<Registration> others) {
        if (fact.candidates().size() > MOST_CANDIDATES
                || (fact.candidates().isEmpty() && fact.state() != GatewayFact.GatewayState.OFFLINE)) {
            return rejected(fact, "address-count", "a gateway has 1 to " + MOST_CANDIDATES + " addresses");
        }
        for (var candidate : fact.candidates()) {
            var reason = objection(candidate.host());
            if (reason.isPresent()) {
                return rejected(fact, "address-refused", candidate.host() + " " + reason.get());
            }
            if (!isPort(candidate.hbonePort()) || (candidate.xdsPort() != 0 && !isPort(candidate.xdsPort()))) {
                return rejected(fact, "port-refused", candidate.host() + " has a port that is none");
            }
            var taker = others.stream()
                    .filter(other -> other.isMember() && hasAddress(other, fact, candidate))
                    .map(Registration::name)
                    .findFirst();
            if (taker.isPresent()) {
                return rejected(
                        fact,
                        "address-taken",
                        candidate.host() + " port " + candidate.hbonePort() + " is the gateway of cluster "
                                + taker.get());
            }
        }
        return Optional.empty();
    }

    private static boolean isPort(int port) {
        return port >= 1 && port <= 65535;
    }

    private static boolean hasAddress(Registration other, GatewayFact fact, GatewayAddress candidate) {
        return other
                .gateway()
                .filter(theirs -> theirs.state() != GatewayFact.GatewayState.OFFLINE)
                .filter(theirs -> !theirs.network().equals(fact.network()))
                .stream()
                .flatMap(theirs -> theirs.candidates().stream())
                .anyMatch(theirs ->
                        theirs.host().equals(candidate.host()) && theirs.hbonePort() == candidate.hbonePort());
    }

    /// What is wrong with an address that others are to dial.
    private static Optional<String> objection(String host) {
        if (Ip.parse(host).isEmpty() || host.indexOf('%') >= 0) {
            var labels = host.split("\\.", -1);
            var isName = NAME.matcher(host).matches() && !labels[labels.length - 1].matches("[0-9]+");
            return host.equals("localhost") || host.endsWith(".localhost") || !isName
                    ? Optional.of("is no address that other clusters can dial")
                    : Optional.empty();
        }
        var address = InetAddress.ofLiteral(host);
        if (address.isLoopbackAddress()) {
            return Optional.of("is a loopback address");
        }
        if (address.isLinkLocalAddress()) {
            return Optional.of("is a link-local address");
        }
        if (address.isMulticastAddress() || host.equals("255.255.255.255")) {
            return Optional.of("is a multicast address");
        }
        return address.isAnyLocalAddress() ? Optional.of("is no address") : Optional.empty();
    }

    private static Optional<Rejection> rejected(GatewayFact fact, String code, String reason) {
        return Optional.of(new Rejection(fact.id(), code, reason));
    }
}
