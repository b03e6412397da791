// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.query;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/// Rows under headings, each column as wide as its widest cell. The last column is not padded.
public final class TextTable {
    private static final int GAP = 3;

    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... headings) {
        rows.add(List.of(headings));
    }

    public void row(String... cells) {
        if (cells.length != rows.getFirst().size()) {
            throw new IllegalArgumentException("a row needs a cell for each heading");
        }
        rows.add(List.of(cells));
    }

    public boolean isEmpty() {
        return rows.size() == 1;
    }

    public void print(PrintWriter out) {
        var widths = new int[rows.getFirst().size()];
        for (var row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        for (var row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                var cell = row.get(column);
                line.append(cell).repeat(" ", widths[column] - cell.length() + GAP);
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
