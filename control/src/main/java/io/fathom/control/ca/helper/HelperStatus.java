// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.helper;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.control.ca.vault.Alarm;
import io.fathom.control.ca.vault.VaultStatus;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// How things stand with the intermediate that is stored, for readiness and metrics.
///
/// @param place where it is stored
/// @param storedUntil when it ends; empty as long as there is none
/// @param alarm about what is stored, not about what Vault has given
/// @param trouble why it could not be read or stored
/// @param vault empty while nothing is asked of Vault
/// @param writes how often it was stored since the start
/// @param failures how often that failed since the start
public record HelperStatus(
        String place,
        Optional<Instant> storedUntil,
        Alarm alarm,
        Optional<Problem> trouble,
        Optional<VaultStatus> vault,
        long writes,
        long failures) {

    /// Why control planes cannot rely on what is stored: there is nothing, or its end is near. Empty if they can, even
    /// if Vault or the store is away meanwhile.
    public Optional<Problem> unready() {
        if (storedUntil.isEmpty()) {
            return Optional.of(problem("cacerts-missing", "there is no usable intermediate in the " + place));
        }
        return switch (alarm) {
            case NONE -> Optional.empty();
            case EXPIRING ->
                Optional.of(problem(
                        "cacerts-expiring",
                        "the intermediate in the " + place + " ends at " + storedUntil.get()
                                + " and could not be renewed"));
            case EXPIRED ->
                Optional.of(problem(
                        "cacerts-expired", "the intermediate in the " + place + " ended at " + storedUntil.get()));
        };
    }

    /// Name and value of every metric, as Prometheus shows them. Times are seconds since 1970, zero if there is none.
    public Map<String, Double> metrics() {
        var metrics = new LinkedHashMap<String, Double>();
        metrics.put("fathom_cacerts_alarm", (double) alarm.level());
        metrics.put(
                "fathom_cacerts_expiry_timestamp_seconds",
                storedUntil.map(time -> (double) time.getEpochSecond()).orElse(0.0));
        metrics.put("fathom_cacerts_write_count", (double) writes);
        metrics.put("fathom_cacerts_failure_count", (double) failures);
        metrics.putAll(vault.orElse(VaultStatus.NONE).metrics());
        return metrics;
    }

    private Problem problem(String code, String message) {
        var cause = trouble.or(() -> vault.flatMap(status -> status.health().problem()));
        return new Problem(
                code,
                message + cause.map(why -> ": " + why.message()).orElse(""),
                cause.map(Problem::fix).orElse("wait"),
                Origin.MESH,
                Retry.SENSIBLE);
    }
}
