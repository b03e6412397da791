// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.control.ca.AuthorityHealth;
import io.fathom.control.ca.AuthorityHealth.State;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// How things stand with Vault, for debug pages and metrics: more than [AuthorityHealth] has room for.
///
/// @param renewAt when the next intermediate is going to be asked for
/// @param failingSince since when Vault has not given what was asked for; empty if the last attempt worked
/// @param failuresInARow attempts that failed since then
/// @param lastContact when an attempt last worked
/// @param renewals intermediates got since the start
/// @param failures attempts that failed since the start
public record VaultStatus(
        AuthorityHealth health,
        Alarm alarm,
        Optional<Instant> renewAt,
        Optional<Instant> failingSince,
        int failuresInARow,
        Optional<Instant> lastContact,
        long renewals,
        long failures) {

    /// Nothing has been asked of Vault.
    public static final VaultStatus NONE = new VaultStatus(
            new AuthorityHealth(
                    "vault", State.DOWN, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()),
            Alarm.EXPIRED,
            Optional.empty(),
            Optional.empty(),
            0,
            Optional.empty(),
            0,
            0);

    static VaultStatus of(VaultState state, RenewalPlanner planner, Instant now) {
        var alarm = state.current()
                .map(held -> planner.alarm(held.taken(), held.notAfter(), now))
                .orElse(Alarm.EXPIRED);
        return new VaultStatus(
                health(state, alarm, now),
                alarm,
                state.newest().map(HeldMaterial::renewAt),
                state.trouble().map(VaultState.Trouble::since),
                state.trouble().map(VaultState.Trouble::inARow).orElse(0),
                state.lastContact(),
                state.renewals(),
                state.failures());
    }

    /// Name and value of every metric, as Prometheus shows them. Times are seconds since 1970, zero if there is none.
    public Map<String, Double> metrics() {
        var metrics = new LinkedHashMap<String, Double>();
        metrics.put("fathom_vault_up", failingSince.isEmpty() && lastContact.isPresent() ? 1.0 : 0.0);
        metrics.put("fathom_vault_failing_since_timestamp_seconds", seconds(failingSince));
        metrics.put("fathom_vault_failure_count", (double) failures);
        metrics.put("fathom_vault_renewal_count", (double) renewals);
        metrics.put("fathom_vault_intermediate_alarm", (double) alarm.level());
        metrics.put("fathom_vault_intermediate_expiry_timestamp_seconds", seconds(health.signerNotAfter()));
        metrics.put("fathom_vault_intermediate_renewal_timestamp_seconds", seconds(renewAt));
        return metrics;
    }

    private static AuthorityHealth health(VaultState state, Alarm alarm, Instant now) {
        var standing = state.usable(now).isEmpty()
                ? State.DOWN
                : alarm == Alarm.NONE && state.trouble().isEmpty() ? State.READY : State.DEGRADED;
        return new AuthorityHealth(
                "vault",
                standing,
                state.current().map(HeldMaterial::notAfter),
                state.current().map(held -> HeldMaterial.end(held.roots().getFirst())),
                state.current().map(HeldMaterial::taken),
                standing == State.READY ? Optional.empty() : Optional.of(problem(state, alarm)));
    }

    private static Problem problem(VaultState state, Alarm alarm) {
        var cause = state.trouble().map(VaultState.Trouble::problem);
        var why = state.trouble()
                .map(trouble -> trouble.problem().message() + "; failing since " + trouble.since())
                .orElse("Vault has not been asked yet");
        var fix = cause.map(Problem::fix).orElse("wait");
        var end = state.current().map(held -> held.notAfter().toString()).orElse("");
        if (end.isEmpty()) {
            return new Problem(
                    cause.map(Problem::code).orElse("vault-starting"),
                    "there is no intermediate yet: " + why,
                    fix,
                    cause.map(Problem::origin).orElse(Origin.MESH),
                    cause.map(Problem::retry).orElse(Retry.SENSIBLE));
        }
        return switch (alarm) {
            case EXPIRED ->
                new Problem(
                        "vault-intermediate-expired",
                        "the intermediate ended at " + end + ": " + why,
                        fix,
                        Origin.MESH,
                        Retry.SENSIBLE);
            case EXPIRING ->
                new Problem(
                        "vault-intermediate-expiring",
                        "the intermediate ends at " + end + " and could not be renewed: " + why,
                        fix,
                        Origin.MESH,
                        Retry.SENSIBLE);
            case NONE -> {
                var given = cause.orElseThrow();
                yield new Problem(
                        given.code(),
                        why + "; the intermediate is good until " + end,
                        fix,
                        given.origin(),
                        given.retry());
            }
        };
    }

    private static double seconds(Optional<Instant> time) {
        return time.map(instant -> (double) instant.getEpochSecond()).orElse(0.0);
    }
}
