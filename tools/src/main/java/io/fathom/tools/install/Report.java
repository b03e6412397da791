// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import java.io.PrintWriter;

/// Lines for people: what is done and what is not. Counts the latter.
final class Report {
    private final PrintWriter out;
    private int failures;

    Report(PrintWriter out) {
        this.out = out;
    }

    void done(String what) {
        say("✔ " + what);
    }

    void failed(String what, String fix) {
        failures++;
        say("✘ " + what);
        say("    fix: " + fix);
    }

    void say(String line) {
        out.println(line);
        out.flush(); // the next step may take a while
    }

    int failures() {
        return failures;
    }
}
