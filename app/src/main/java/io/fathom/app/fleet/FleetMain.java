// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import java.util.List;

/// Runs a management server until it is told to stop.
public final class FleetMain {
    private static final ProgramFrame PROGRAM = new ProgramFrame(
            "fathom-fleet",
            "The management server of a fleet: clusters join it, and it tells each of the others' gateways.",
            List.of(FleetSetting.values()),
            FleetSetting.LOG_LEVEL);

    private FleetMain() {}

    public static void main(String[] args) throws InterruptedException {
        System.exit(PROGRAM.run(
                FleetSetting.flags(), args, System.getenv(), (settings, _) -> RunningServer.start(settings)));
    }
}
