// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.testkit;

import java.time.Clock;
import java.time.Instant;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Skips tests that would begin after `-Dfathom.deadline=SECONDS` (since the epoch), so that a run with a time limit
/// ends with a verdict and a list of what it did not run. Without a deadline nothing is skipped. JUnit finds it by
/// itself.
public final class TimeLeft implements ExecutionCondition {
    private static final ConditionEvaluationResult ENOUGH = ConditionEvaluationResult.enabled("there is time");

    private final Instant deadline;
    private final Clock clock;

    public TimeLeft() {
        this(Instant.ofEpochSecond(Long.getLong("fathom.deadline", Instant.MAX.getEpochSecond())), Clock.systemUTC());
    }

    TimeLeft(Instant deadline, Clock clock) {
        this.deadline = deadline;
        this.clock = clock;
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return verdict();
    }

    ConditionEvaluationResult verdict() {
        return clock.instant().isBefore(deadline)
                ? ENOUGH
                : ConditionEvaluationResult.disabled("the time for this run was used up at " + deadline);
    }
}
