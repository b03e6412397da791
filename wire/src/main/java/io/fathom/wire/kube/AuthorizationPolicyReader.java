package io.fathom.wire.kube;

import io.fathom.wire.kube.AuthorizationPolicyManifest.Action;
import io.fathom.wire.kube.AuthorizationPolicyManifest.Condition;
import io.fathom.wire.kube.AuthorizationPolicyManifest.Operation;
import io.fathom.wire.kube.AuthorizationPolicyManifest.Rule;
import io.fathom.wire.kube.AuthorizationPolicyManifest.Source;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;

/// Reads AuthorizationPolicies. Addresses and ports of rules stay as written: what they mean is not decided here.
final class AuthorizationPolicyReader implements KindReader {
    private static final Choices<Action> ACTIONS = Choices.of(Action.class, Action::name);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new AuthorizationPolicyManifest(
                metadata,
                SelectorReader.workloads(spec.at("selector"), interner),
                TargetRefs.read(spec),
                spec.at("action").oneOf(ACTIONS, Action.ALLOW),
                spec.at("rules").items().stream()
                        .map(AuthorizationPolicyReader::rule)
                        .toList(),
                spec.at("provider").at("name").text());
    }

    private static Rule rule(Field rule) {
        return new Rule(
                rule.at("from").items().stream()
                        .map(from -> source(from.at("source")))
                        .toList(),
                rule.at("to").items().stream()
                        .map(to -> operation(to.at("operation")))
                        .toList(),
                rule.at("when").items().stream()
                        .map(AuthorizationPolicyReader::condition)
                        .toList());
    }

    private static Source source(Field source) {
        return new Source(
                source.at("principals").texts(),
                source.at("notPrincipals").texts(),
                source.at("requestPrincipals").texts(),
                source.at("notRequestPrincipals").texts(),
                source.at("namespaces").texts(),
                source.at("notNamespaces").texts(),
                source.at("serviceAccounts").texts(),
                source.at("notServiceAccounts").texts(),
                source.at("ipBlocks").texts(),
                source.at("notIpBlocks").texts(),
                source.at("remoteIpBlocks").texts(),
                source.at("notRemoteIpBlocks").texts(),
                source.at("trustDomains").texts(),
                source.at("notTrustDomains").texts());
    }

    private static Operation operation(Field operation) {
        return new Operation(
                operation.at("hosts").texts(),
                operation.at("notHosts").texts(),
                operation.at("ports").texts(),
                operation.at("notPorts").texts(),
                operation.at("methods").texts(),
                operation.at("notMethods").texts(),
                operation.at("paths").texts(),
                operation.at("notPaths").texts());
    }

    private static Condition condition(Field condition) {
        return new Condition(
                condition.at("key").requiredText(),
                condition.at("values").texts(),
                condition.at("notValues").texts());
    }
}
