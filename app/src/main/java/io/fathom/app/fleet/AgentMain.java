// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import java.util.List;

/// Runs the agent of a cluster until it is told to stop, or is not let in.
public final class AgentMain {
    private static final ProgramFrame PROGRAM = new ProgramFrame(
            "fathom-agent",
            "The agent of a cluster: joins it to a fleet, and keeps a Gateway there for each other cluster.",
            List.of(AgentSetting.values()),
            AgentSetting.LOG_LEVEL);

    private AgentMain() {}

    public static void main(String[] args) throws InterruptedException {
        System.exit(PROGRAM.run(AgentSetting.flags(), args, System.getenv(), RunningAgent::start));
    }
}
