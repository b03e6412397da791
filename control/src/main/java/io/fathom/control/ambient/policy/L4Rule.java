// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.model.mesh.IpBlock;
import io.fathom.model.policy.Authorization.Group;
import io.fathom.model.policy.Authorization.Match;
import io.fathom.model.policy.Authorization.Rules;
import io.fathom.model.policy.Authorization.ServiceAccount;
import io.fathom.model.policy.StringMatch;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Condition;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Operation;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Rule;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Source;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

/// One rule of an AuthorizationPolicy, reduced to what a node proxy can decide: without reading HTTP, and without trust
/// domains, which its policies have no field for.
///
/// A clause that held nothing but HTTP attributes stays as an empty match, which never holds: stripped of its
/// condition it must not become "always".
///
/// @param group operations, then sources, then each condition; a rule without clauses gives a group that always holds
/// @param http the names of the HTTP attributes, and of others that it cannot decide, that were left out
/// @param unreadable values that a node proxy could not compare with anything, as `field: value`
public record L4Rule(Group group, SortedSet<String> http, List<String> unreadable) {
    private static final Pattern PORT = Pattern.compile("0*([0-9]{1,5})");
    private static final Pattern INNER_STAR = Pattern.compile(".+\\*.+|\\*.*\\*");
    private static final int HIGHEST_PORT = 65535;

    public L4Rule {
        http = Collections.unmodifiableSortedSet(http);
        unreadable = List.copyOf(unreadable);
    }

    /// What a rule says, as far as node proxies can enforce it.
    ///
    /// @param namespace of the policy: where service accounts without a namespace live
    public static L4Rule of(Rule rule, String namespace) {
        var http = new TreeSet<String>();
        var rules = new ArrayList<Rules>();
        if (!rule.to().isEmpty()) {
            rules.add(new Rules(rule.to().stream().map(to -> match(to, http)).toList()));
        }
        if (!rule.from().isEmpty()) {
            rules.add(new Rules(rule.from().stream()
                    .map(from -> match(from, namespace, http))
                    .toList()));
        }
        for (var when : rule.when()) {
            rules.add(new Rules(List.of(match(when, http))));
        }
        return new L4Rule(new Group(rules), http, unreadable(rule));
    }

    /// What of an ALLOW rule holds: nothing as soon as a part of it cannot be checked.
    Optional<Group> narrowed() {
        return http.isEmpty() && unreadable.isEmpty() ? Optional.of(group) : Optional.empty();
    }

    /// What of a DENY rule holds: everything when a value cannot be read.
    Group widened(L4Policies.Unenforceable unenforceable) {
        if (!unreadable.isEmpty()) {
            return new Group(List.of());
        }
        return switch (unenforceable) {
            case HAVE_NO_EFFECT -> group;
            case DENY_ANYHOW ->
                new Group(group.rules().stream()
                        .filter(rules -> !rules.matches().contains(Match.EMPTY))
                        .toList());
        };
    }

    /// Whether nothing can satisfy this rule any more, because some clause has only empty matches.
    boolean isInert() {
        return isInert(group);
    }

    /// Whether, in DENY, it refuses less than written, because some alternative of a clause can never hold.
    boolean isWeaker() {
        return group.rules().stream().anyMatch(rules -> rules.matches().contains(Match.EMPTY));
    }

    static boolean isInert(Group group) {
        return group.rules().stream()
                .anyMatch(rules ->
                        !rules.matches().isEmpty() && rules.matches().stream().allMatch(Match.EMPTY::equals));
    }

    private static Match match(Operation to, SortedSet<String> http) {
        note(http, "hosts", to.hosts().values());
        note(http, "notHosts", to.hosts().notValues());
        note(http, "methods", to.methods().values());
        note(http, "notMethods", to.methods().notValues());
        note(http, "paths", to.paths().values());
        note(http, "notPaths", to.paths().notValues());
        var match = new MatchFields();
        match.destinationPorts = ports(to.ports().values());
        match.notDestinationPorts = ports(to.ports().notValues());
        return match.toMatch();
    }

    private static Match match(Source from, String namespace, SortedSet<String> http) {
        note(http, "requestPrincipals", from.requestPrincipals().values());
        note(http, "notRequestPrincipals", from.requestPrincipals().notValues());
        note(http, "remoteIpBlocks", from.remoteIpBlocks().values());
        note(http, "notRemoteIpBlocks", from.remoteIpBlocks().notValues());
        note(http, "trustDomains", from.trustDomains().values());
        note(http, "notTrustDomains", from.trustDomains().notValues());
        var match = new MatchFields();
        match.principals = strings(from.principals().values());
        match.notPrincipals = strings(from.principals().notValues());
        match.namespaces = strings(from.namespaces().values());
        match.notNamespaces = strings(from.namespaces().notValues());
        match.serviceAccounts = accounts(from.serviceAccounts().values(), namespace);
        match.notServiceAccounts = accounts(from.serviceAccounts().notValues(), namespace);
        match.sourceIps = blocks(from.ipBlocks().values());
        match.notSourceIps = blocks(from.ipBlocks().notValues());
        return match.toMatch();
    }

    private static Match match(Condition when, SortedSet<String> http) {
        var match = new MatchFields();
        switch (when.key()) {
            case "source.ip" -> {
                match.sourceIps = blocks(when.values());
                match.notSourceIps = blocks(when.notValues());
            }
            case "source.namespace" -> {
                match.namespaces = strings(when.values());
                match.notNamespaces = strings(when.notValues());
            }
            case "source.principal" -> {
                match.principals = strings(when.values());
                match.notPrincipals = strings(when.notValues());
            }
            case "destination.ip" -> {
                match.destinationIps = blocks(when.values());
                match.notDestinationIps = blocks(when.notValues());
            }
            case "destination.port" -> {
                match.destinationPorts = ports(when.values());
                match.notDestinationPorts = ports(when.notValues());
            }
            default -> http.add(when.key());
        }
        return match.toMatch();
    }

    /// Readers refuse all of them but namespaces with a star in the middle, which waypoints know.
    private static List<String> unreadable(Rule rule) {
        var found = new ArrayList<String>();
        for (var to : rule.to()) {
            noteUnreadable(found, "ports", to.ports().values(), L4Rule::port);
            noteUnreadable(found, "notPorts", to.ports().notValues(), L4Rule::port);
        }
        for (var from : rule.from()) {
            noteUnreadable(found, "ipBlocks", from.ipBlocks().values(), IpBlock::parse);
            noteUnreadable(found, "notIpBlocks", from.ipBlocks().notValues(), IpBlock::parse);
            noteUnreadable(found, "principals", from.principals().values(), L4Rule::pattern);
            noteUnreadable(found, "notPrincipals", from.principals().notValues(), L4Rule::pattern);
            noteUnreadable(found, "namespaces", from.namespaces().values(), L4Rule::pattern);
            noteUnreadable(found, "notNamespaces", from.namespaces().notValues(), L4Rule::pattern);
        }
        for (var when : rule.when()) {
            switch (when.key()) {
                case "source.ip", "destination.ip" -> {
                    noteUnreadable(found, when.key(), when.values(), IpBlock::parse);
                    noteUnreadable(found, when.key(), when.notValues(), IpBlock::parse);
                }
                case "destination.port" -> {
                    noteUnreadable(found, when.key(), when.values(), L4Rule::port);
                    noteUnreadable(found, when.key(), when.notValues(), L4Rule::port);
                }
                case "source.namespace", "source.principal" -> {
                    noteUnreadable(found, when.key(), when.values(), L4Rule::pattern);
                    noteUnreadable(found, when.key(), when.notValues(), L4Rule::pattern);
                }
                default -> {}
            }
        }
        return found;
    }

    private static void noteUnreadable(
            List<String> found, String field, List<String> values, Function<String, Optional<?>> parse) {
        values.stream().filter(value -> parse.apply(value).isEmpty()).forEach(value -> found.add(field + ": " + value));
    }

    private static void note(SortedSet<String> http, String name, List<String> values) {
        if (!values.isEmpty()) {
            http.add(name);
        }
    }

    private static List<StringMatch> strings(List<String> values) {
        return values.stream().map(StringMatch::parse).toList();
    }

    private static List<ServiceAccount> accounts(List<String> values, String namespace) {
        return values.stream().map(value -> account(value, namespace)).toList();
    }

    private static ServiceAccount account(String value, String namespace) {
        var slash = value.indexOf('/');
        return slash < 0
                ? new ServiceAccount(namespace, value)
                : new ServiceAccount(value.substring(0, slash), value.substring(slash + 1));
    }

    private static List<IpBlock> blocks(List<String> values) {
        return values.stream().map(IpBlock::parse).flatMap(Optional::stream).toList();
    }

    private static List<Integer> ports(List<String> values) {
        return values.stream().map(L4Rule::port).flatMap(Optional::stream).toList();
    }

    /// A star elsewhere than at one end would stand for itself.
    private static Optional<String> pattern(String value) {
        return Optional.of(value)
                .filter(text -> text.equals("*") || !INNER_STAR.matcher(text).matches());
    }

    private static Optional<Integer> port(String value) {
        var digits = PORT.matcher(value);
        return digits.matches()
                ? Optional.of(Integer.valueOf(digits.group(1))).filter(port -> port <= HIGHEST_PORT)
                : Optional.empty();
    }
}
