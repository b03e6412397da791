// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.fathom.control.envoy.policy.Clause.Doubt;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Condition;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Operation;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Rule;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One rule of a policy in Envoy's words. Pure.
final class RuleWriter {
    private final Dialect dialect;
    private final Callers callers;
    private final Requests requests;
    private final Doubt doubt;

    /// @param namespace of the policy
    RuleWriter(Dialect dialect, String namespace, Doubt doubt) {
        this.dialect = dialect;
        this.callers = new Callers(dialect, namespace);
        this.requests = new Requests(dialect);
        this.doubt = doubt;
    }

    /// Empty for a rule that cannot be checked here and must not hold then.
    Optional<Policy> write(Rule rule) {
        var permissions = new ArrayList<Optional<Permission>>();
        for (var to : rule.to()) {
            permissions.add(permission(List.of(to), rule.when()));
        }
        if (rule.to().isEmpty()) {
            permissions.add(permission(List.of(), rule.when()));
        }
        var principals = new ArrayList<Optional<Principal>>();
        for (var from : rule.from()) {
            principals.add(principal(List.of(from), rule.when()));
        }
        if (rule.from().isEmpty()) {
            principals.add(principal(List.of(), rule.when()));
        }
        if (permissions.stream().anyMatch(Optional::isEmpty)
                || principals.stream().anyMatch(Optional::isEmpty)) {
            return Optional.empty();
        }
        return Optional.of(Policy.newBuilder()
                .addAllPermissions(
                        permissions.stream().flatMap(Optional::stream).toList())
                .addAllPrincipals(principals.stream().flatMap(Optional::stream).toList())
                .build());
    }

    /// @param operations at most one
    private Optional<Permission> permission(List<Operation> operations, List<Condition> conditions) {
        var clause = new Clause<>(Clause.PERMISSIONS, doubt);
        for (var to : operations) {
            clause.attribute(to.hosts(), requests::host)
                    .attribute(to.methods(), requests::method)
                    .attribute(to.paths(), requests::path)
                    .attribute(to.ports(), requests::port);
        }
        for (var when : conditions) {
            var key = when.key();
            switch (key) {
                case "destination.ip" -> clause.attribute(when.values(), when.notValues(), requests::destinationIp);
                case "destination.port" -> clause.attribute(when.values(), when.notValues(), requests::port);
                case "connection.sni" -> clause.attribute(when.values(), when.notValues(), requests::serverName);
                default -> {
                    if (Requests.isFilterMetadata(key)) {
                        clause.attribute(when.values(), when.notValues(), value -> requests.filterMetadata(key, value));
                    }
                }
            }
        }
        return clause.build();
    }

    /// @param sources at most one
    private Optional<Principal> principal(List<Source> sources, List<Condition> conditions) {
        var clause = new Clause<>(Clause.PRINCIPALS, doubt);
        for (var from : sources) {
            clause.attribute(
                            domains(from.principals().values()),
                            domains(from.principals().notValues()),
                            callers::principal)
                    .attribute(from.requestPrincipals(), callers::requestPrincipal)
                    .attribute(from.namespaces(), callers::namespace)
                    .attribute(from.serviceAccounts(), callers::serviceAccount)
                    .attribute(from.ipBlocks(), callers::sourceIp)
                    .attribute(from.remoteIpBlocks(), callers::remoteIp)
                    .attribute(from.trustDomains(), callers::trustDomain);
        }
        conditions.forEach(when -> condition(clause, when));
        return clause.build();
    }

    private void condition(Clause<Principal> clause, Condition when) {
        var key = when.key();
        var values = when.values();
        var notValues = when.notValues();
        switch (key) {
            case "destination.ip", "destination.port", "connection.sni" -> {} // permissions
            case "source.ip" -> clause.attribute(values, notValues, callers::sourceIp);
            case "remote.ip" -> clause.attribute(values, notValues, callers::remoteIp);
            case "source.namespace" -> clause.attribute(values, notValues, callers::namespace);
            case "source.serviceAccount" -> clause.attribute(values, notValues, callers::serviceAccount);
            case "source.principal" -> clause.attribute(domains(values), domains(notValues), callers::principal);
            case "request.auth.principal" -> clause.attribute(values, notValues, callers::requestPrincipal);
            case "request.auth.audiences" -> clause.attribute(values, notValues, callers::audience);
            case "request.auth.presenter" -> clause.attribute(values, notValues, callers::presenter);
            default -> {
                if (key.startsWith("request.auth.claims[") && key.endsWith("]")) {
                    clause.attribute(values, notValues, value -> callers.claim(key, value));
                } else if (key.startsWith("request.headers[") && key.endsWith("]")) {
                    clause.attribute(values, notValues, value -> callers.header(key, value));
                } else if (!Requests.isFilterMetadata(key)) {
                    clause.attribute(values, notValues, _ -> Optional.empty()); // nothing that we know
                }
            }
        }
    }

    private List<String> domains(List<String> principals) {
        return dialect.underAllTrustDomains(principals);
    }
}
