// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.args;

import java.util.List;

/// Flags and commands as two columns of text. Pure.
public final class HelpText {
    private static final int WIDTH = 110;
    private static final int INDENT = 2;
    private static final int COLUMN = 28;

    private final StringBuilder text = new StringBuilder();

    /// A line by itself.
    public HelpText line(String line) {
        text.append(line).append('\n');
        return this;
    }

    public HelpText flags(List<Flag> flags) {
        flags.forEach(flag -> row(heading(flag), flag.help()));
        return this;
    }

    /// Something and what it is. A long name has its explanation below.
    public HelpText row(String name, String help) {
        text.repeat(" ", INDENT).append(name);
        var used = INDENT + name.length();
        if (used + 2 > COLUMN) {
            text.append('\n');
            used = 0;
        }
        for (var paragraph : help.split("\n", -1)) {
            used = paragraph(paragraph, used);
        }
        return this;
    }

    private int paragraph(String paragraph, int alreadyUsed) {
        var used = alreadyUsed;
        for (var word : paragraph.split(" ", -1)) {
            if (used > COLUMN && used + 1 + word.length() > WIDTH) {
                text.append('\n');
                used = 0;
            }
            var gap = used > COLUMN ? 1 : COLUMN - used;
            text.repeat(" ", gap).append(word);
            used += gap + word.length();
        }
        text.append('\n');
        return 0;
    }

    private static String heading(Flag flag) {
        var names = flag.shortName().isEmpty() ? "    " + flag.name() : flag.shortName() + ", " + flag.name();
        return flag.takesValue() ? names + " " + flag.label() : names;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
