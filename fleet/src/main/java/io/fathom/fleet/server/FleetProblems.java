// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;

/// What clusters are refused for.
final class FleetProblems {
    private static final String NEW_TOKEN = "make a new one: fathomctl fleet token ";

    private FleetProblems() {}

    static ProblemException unknownToken() {
        return problem(
                "token-unknown",
                "this server did not issue the token",
                "take one of this server: fathomctl fleet token CLUSTER");
    }

    static ProblemException expired(StoredToken token) {
        return problem("token-expired", "the token was good until " + token.expires(), NEW_TOKEN + token.cluster());
    }

    static ProblemException wrongName(StoredToken token, String name) {
        return problem(
                "token-wrong-name",
                "the token is for cluster " + token.cluster() + ", not for " + name,
                "join with --cluster-id " + token.cluster() + ", or " + NEW_TOKEN + name);
    }

    static ProblemException used(StoredToken token) {
        return problem("token-used", "the token has been used", NEW_TOKEN + token.cluster());
    }

    static ProblemException badCluster(String message) {
        return problem(
                "cluster-malformed",
                message,
                "give a DNS name for --cluster-id, and a UID of letters, digits and hyphens");
    }

    static ProblemException nameTaken(String name) {
        return problem(
                "cluster-name-taken",
                "another cluster is a member by the name of " + name,
                "give this one another name, or let the other one leave: fathomctl fleet leave " + name);
    }

    static ProblemException networkTaken(String network, String owner) {
        return problem(
                "network-taken",
                "network " + network + " is that of cluster " + owner,
                "correct the network of this cluster, or allow it: fathomctl fleet token CLUSTER --network " + network);
    }

    static ProblemException notInToken(String what, StoredToken token) {
        return problem(
                "token-narrower",
                "the token for cluster " + token.cluster() + " does not allow " + what,
                "correct it in the cluster, or " + NEW_TOKEN + token.cluster());
    }

    static ProblemException notMember() {
        return problem(
                "not-a-member",
                "no cluster is registered with this certificate",
                "join again with a new token: fathomctl fleet token CLUSTER");
    }

    static ProblemException anotherCluster(String wanted, String found) {
        return problem(
                "cluster-uid-mismatch",
                "the certificate is that of cluster " + wanted + ", but the agent is in cluster " + found,
                "a key must not be copied: remove the agent's state folder there and join with a token of its own");
    }

    static ProblemException otherKey() {
        return problem(
                "key-changed",
                "the request is for another key than the certificate",
                "renew with the same key, or join again with a new token");
    }

    static ProblemException unknownCluster(String name) {
        return problem("no-such-cluster", "no cluster called " + name + " is a member", "see fathomctl fleet status");
    }

    static ProblemException noHello() {
        return problem("hello-expected", "a stream begins with a hello", "use an agent of Fathom");
    }

    static ProblemException sameServer() {
        return problem("same-server", "a server does not follow itself", "nothing: its own address is left out");
    }

    static ProblemException noServer() {
        return problem(
                "server-required",
                "only management servers of this fleet may follow one",
                "use a server with the same store");
    }

    static ProblemException tooFast(String name) {
        return new ProblemException(new Problem(
                "cluster-floods",
                "cluster " + name + " has too many streams, or opens them too fast",
                "stop what else uses its key, or let it leave: fathomctl fleet leave " + name,
                Problem.Origin.CLIENT,
                Problem.Retry.SENSIBLE));
    }

    static ProblemException changedMeanwhile(String name) {
        return new ProblemException(new Problem(
                "kube-conflict",
                "the registration of cluster " + name + " was changed or removed by somebody else",
                "nothing, if that was another management server: it is looked at again",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }

    /// What went wrong when records were read, in words of ours if the API server does not know them.
    static ProblemException notReadable(ProblemException failure) {
        return failure.problem().code().equals("kube-not-found")
                ? problem(
                        "fleet-definitions-missing",
                        "the API server does not know FleetCluster and FleetToken of fleet.fathom.io",
                        "apply deploy/charts/fathom-fleet/crds, or give a folder: --store DIR")
                : failure;
    }

    private static ProblemException problem(String code, String message, String fix) {
        return new ProblemException(Problem.ofInput(code, message, fix));
    }
}
