// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.control.reach.ProbeFinding;
import io.fathom.control.reach.ProbeState;
import io.fathom.model.peering.GatewayReach;
import io.fathom.model.peering.Reachability;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.manifest.ManifestProblem.Severity;
import java.time.Duration;
import java.util.Optional;

/// What is said about a gateway that was probed. Pure.
final class ReachText {
    private ReachText() {}

    static GatewayReach of(ProbeTarget target, ProbeState state) {
        var seen = "";
        var code = "";
        var reason = "";
        var roundTrip = Duration.ZERO;
        switch (state.last().orElse(new ProbeFinding.Failed("", "", ""))) {
            case ProbeFinding.Proven(var who, var took) -> {
                seen = who;
                roundTrip = took;
            }
            case ProbeFinding.Unproven(var who, var took, var what, var why) -> {
                seen = who;
                roundTrip = took;
                code = what;
                reason = why;
            }
            case ProbeFinding.Failed(var who, var what, var why) -> {
                seen = who;
                code = what;
                reason = why;
            }
        }
        return new GatewayReach(
                target.gateway().gateway().path(),
                target.cluster(),
                target.gateway().network(),
                target.address().toString(),
                state.verdict(),
                state.since(),
                state.failures(),
                state.answered(),
                roundTrip,
                seen,
                code,
                reason);
    }

    /// What an operator has to know: a gateway that fails for longer than a moment, and at once whoever answers in its
    /// place.
    static Optional<ManifestProblem> problem(GatewayReach reach) {
        var failing = reach.verdict().compareTo(Reachability.SUSPECT) >= 0;
        if (reach.failures() == 0
                || (!failing && reach.seen().isEmpty())
                || reach.code().isEmpty()) {
            return Optional.empty();
        }
        var effect = switch (reach.verdict()) {
            case DOWN -> "; services there are called only where there is no other way";
            case SUSPECT -> "; it gets a tenth of its share";
            case REACHABLE, UNKNOWN -> "";
        };
        return Optional.of(new ManifestProblem(
                Severity.ERROR,
                "",
                0,
                "Gateway " + reach.gateway(),
                "spec.addresses",
                new Problem(
                        reach.code(),
                        "gateway of "
                                + (reach.cluster().isEmpty()
                                        ? "network " + reach.network()
                                        : "cluster " + reach.cluster())
                                + " at " + reach.address() + ", asked " + reach.failures()
                                + (reach.failures() == 1 ? " time" : " times") + " in vain: " + reach.reason() + effect,
                        fix(reach),
                        Problem.Origin.SERVER,
                        Problem.Retry.SENSIBLE)));
    }

    private static String fix(GatewayReach reach) {
        return switch (reach.code()) {
            case "gateway-is-ourselves", "gateway-is-another-cluster" ->
                "correct the address of Gateway " + reach.gateway() + ": it has to lead to the east-west gateway of "
                        + (reach.cluster().isEmpty() ? "network " + reach.network() : "cluster " + reach.cluster());
            case "gateway-wrong-identity" ->
                "correct the address, or the annotations gateway.istio.io/service-account and"
                        + " gateway.istio.io/trust-domain, or the namespace, of Gateway " + reach.gateway();
            case "gateway-refuses-us", "gateway-handshake-failed" ->
                "compare the root certificates and trust domains of both clusters: fathomctl multicluster check";
            default ->
                "see whether the east-west gateway there runs, and whether this cluster may reach that address and port";
        };
    }
}
