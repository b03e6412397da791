// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import java.util.ArrayList;
import java.util.List;

/// The path of the value being parsed. Not unwound on failure, so that it names the place of the mistake.
final class TreePath {
    private final List<Object> steps = new ArrayList<>();

    void enter(String key) {
        steps.add(key);
    }

    void enter(int index) {
        steps.add(index);
    }

    void leave() {
        steps.removeLast();
    }

    int depth() {
        return steps.size();
    }

    @Override
    public String toString() {
        var text = new StringBuilder();
        for (var step : steps) {
            if (step instanceof Integer index) {
                text.append('[').append(index).append(']');
            } else {
                appendKey(text, step.toString());
            }
        }
        return text.toString();
    }

    /// `spec.ports`, but `labels["app.kubernetes.io/name"]`.
    static void appendKey(StringBuilder path, String key) {
        if (key.indexOf('.') >= 0 || key.indexOf('/') >= 0 || key.indexOf(' ') >= 0) {
            path.append("[\"").append(key).append("\"]");
        } else {
            path.append(path.isEmpty() ? "" : ".").append(key);
        }
    }
}
