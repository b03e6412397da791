// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.model.trust.TrustMap;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The roots that chains of peers are verified with, and which of them vouch for which trust domain. Immutable.
///
/// @param roots all of them, without duplicates
/// @param domains by name; empty if nobody says which root is whose: then each vouches for everybody, as for stock
///     proxies
public record TrustPool(List<X509Certificate> roots, Optional<Map<String, List<X509Certificate>>> domains) {
    /// Stands in front of the roots of trust domains, with their names, among certificates in PEM. Readers that do not
    /// know it take it for a remark.
    private static final String MARK = "# trust-domain:";

    public TrustPool {
        roots = List.copyOf(new LinkedHashSet<>(roots));
        domains = domains.map(Map::copyOf);
    }

    /// Where nobody says which root is whose.
    public static TrustPool ofAnyDomain(List<X509Certificate> roots) {
        return new TrustPool(roots, Optional.empty());
    }

    public static TrustPool of(TrustMap map) {
        var domains = new LinkedHashMap<String, List<X509Certificate>>();
        map.domains().forEach((domain, roots) -> domains.put(domain, TrustRoots.certificates(roots)));
        return ofDomains(domains);
    }

    private static TrustPool ofDomains(Map<String, List<X509Certificate>> domains) {
        return new TrustPool(domains.values().stream().flatMap(List::stream).toList(), Optional.of(domains));
    }

    /// The roots that vouch for a domain; none if it is not known.
    public List<X509Certificate> roots(String domain) {
        return domains.map(known -> known.getOrDefault(domain, List.of())).orElse(roots);
    }

    /// The same for what is verified here as well as there: a pool in which `domain` has the roots of `like`, too.
    public TrustPool withAlias(String domain, String like) {
        if (domains.isEmpty() || !roots(domain).isEmpty() || roots(like).isEmpty()) {
            return this;
        }
        var more = new LinkedHashMap<>(domains.get());
        more.put(domain, roots(like));
        return ofDomains(more);
    }

    /// Why a chain, its leaf first, does not count at that time: it has to lead to a root of the trust domain of each
    /// SPIFFE identity of the leaf.
    public Optional<Problem> objection(List<X509Certificate> chain, Instant now) {
        if (domains.isEmpty() || chain.isEmpty()) {
            return ChainVerifier.problem(chain, roots, now);
        }
        var names = AlternativeNames.trustDomains(chain.getFirst());
        if (names.isEmpty()) {
            return Optional.of(new Problem(
                    "certificate-without-identity",
                    "the certificate has no SPIFFE identity",
                    "issue one for spiffe://TRUST-DOMAIN/ns/NAMESPACE/sa/ACCOUNT",
                    Origin.CLIENT,
                    Retry.POINTLESS));
        }
        for (var domain : names) {
            var objection = objection(domain, chain, now);
            if (objection.isPresent()) {
                return objection;
            }
        }
        return Optional.empty();
    }

    private Optional<Problem> objection(String domain, List<X509Certificate> chain, Instant now) {
        var own = roots(domain);
        if (own.isEmpty()) {
            return Optional.of(new Problem(
                    "trust-domain-unknown",
                    "no root is trusted for identities of " + domain,
                    "exchange roots with that cluster: fathomctl multicluster link --exchange-trust",
                    Origin.CLIENT,
                    Retry.SENSIBLE));
        }
        return ChainVerifier.problem(chain, own, now)
                .map(problem -> new Problem(
                        problem.code(),
                        problem.message() + ", by the roots of " + domain,
                        problem.fix(),
                        problem.origin(),
                        problem.retry()));
    }

    /// All roots in PEM, each once, and which domains it vouches for in a remark before it.
    public String pem() {
        if (domains.isEmpty()) {
            return Pem.encode(roots);
        }
        var text = new StringBuilder();
        for (var root : roots) {
            var names = domains.get().entrySet().stream()
                    .filter(domain -> domain.getValue().contains(root))
                    .map(Map.Entry::getKey)
                    .sorted()
                    .collect(Collectors.joining(" "));
            text.append(MARK).append(' ').append(names).append('\n').append(Pem.encode(root));
        }
        return text.toString();
    }

    /// What [#pem()] wrote; of PEM text without such remarks nobody says which root is whose.
    ///
    /// @throws io.fathom.base.lang.ProblemException if there is no certificate in it
    public static TrustPool parse(String pem) {
        var all = Pem.certificates(pem);
        var domains = new LinkedHashMap<String, List<X509Certificate>>();
        var sections = pem.split("(?m)^" + MARK, -1);
        for (var section : List.of(sections).subList(1, sections.length)) {
            var end = section.indexOf('\n');
            if (end >= 0) {
                var certificates = Pem.certificates(section.substring(end));
                for (var name : section.substring(0, end).strip().split("\\s+", -1)) {
                    domains.merge(name, certificates, TrustPool::joined);
                }
            }
        }
        return domains.isEmpty() ? ofAnyDomain(all) : ofDomains(domains);
    }

    private static List<X509Certificate> joined(List<X509Certificate> some, List<X509Certificate> more) {
        var joined = new LinkedHashSet<>(some);
        joined.addAll(more);
        return List.copyOf(joined);
    }
}
