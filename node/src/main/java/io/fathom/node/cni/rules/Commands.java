// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.lang.ProblemException;
import java.util.List;
import java.util.Optional;

/// Runs programs. Tests stand in for machines that lack some.
interface Commands {
    /// Waits for its end. Throws a [ProblemException] if it cannot be started or
    /// does not end in time; a code that is not 0 is an answer.
    CommandResult run(Command command);

    default boolean has(String program) {
        try {
            return run(Command.of(Optional.empty(), List.of(program, "--version")))
                    .succeeded();
        } catch (ProblemException e) {
            return false;
        }
    }
}
