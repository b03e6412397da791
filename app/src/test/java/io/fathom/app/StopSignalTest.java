// SPDX-License-Identifier: Apache-2.0
package io.fathom.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// In processes of their own: what a kubelet sees of them is their exit code.
@Timeout(60)
class StopSignalTest {
    /// Runs until told to stop; says so, and ends with the code that it was given.
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws InterruptedException {
            var code = Integer.parseInt(args[0]);
            var stop = StopSignal.install();
            System.out.println("ready");
            if (args[1].equals("by-itself")) {
                stop.want();
            }
            stop.await();
            System.out.println("drained");
            stop.stopped(code);
            System.exit(code);
        }
    }

    @Test
    void whenASignalWasHandledAsPlanned_thenTheCodeIsTheProgramsOwn() throws Exception {
        assertThat(ends(start("0", "by-signal"))).isEqualTo("drained 0");
        assertThat(ends(start("3", "by-signal"))).isEqualTo("drained 3");
    }

    @Test
    void whenTheProgramStopsByItself_thenTheCodeIsItsOwn() throws Exception {
        assertThat(start("7", "by-itself").waitFor()).isEqualTo(7);
    }

    private static String ends(Process process) throws Exception {
        try (var out = process.inputReader()) {
            assertThat(out.readLine()).isEqualTo("ready");
            process.toHandle().destroy(); // SIGTERM; unlike the process itself it leaves our end of the pipe open
            return out.readLine() + " " + process.waitFor();
        }
    }

    private static Process start(String... args) throws IOException {
        return new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        args[0],
                        args[1])
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
