// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomctl;

import io.fathom.app.BuildInfo;
import io.fathom.tools.cli.Fathomctl;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/// Hands the command line to [Fathomctl] and exits with its code.
public final class FathomctlMain {
    private FathomctlMain() {}

    public static void main(String[] args) {
        var out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
        var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(Fathomctl.run(args, System.getenv(), BuildInfo.current().text(), out, err));
    }
}
