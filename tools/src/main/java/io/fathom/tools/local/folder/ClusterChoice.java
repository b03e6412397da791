// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import io.fathom.wire.kube.tree.Field;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/// In which of several clusters something is played: the annotation `fathom.io/clusters` has their numbers, such as
/// `1`, `2,3`, or `2-` for all but the first. Without it, in all of them. Pure.
final class ClusterChoice {
    static final String ANNOTATION = "fathom.io/clusters";
    private static final Pattern RANGE = Pattern.compile("([1-9]\\d?)(-([1-9]\\d?)?)?");

    private ClusterChoice() {}

    /// @param cluster empty where there is only one, which plays everything
    /// @throws io.fathom.wire.kube.tree.MisreadException when the annotation makes no sense
    static boolean includes(Field object, OptionalInt cluster) {
        var choice = object.at("metadata").at("annotations").at(ANNOTATION);
        if (!choice.isPresent()) {
            return true;
        }
        var included = false;
        for (var word : choice.text().split(",", -1)) {
            var range = RANGE.matcher(word.strip());
            if (!range.matches()) {
                throw choice.wrong(
                        "bad-cluster-choice",
                        "\"" + choice.text() + "\" names no clusters",
                        "write their numbers, such as 1, or 2,3, or 2- for all but the first");
            }
            var first = Integer.parseInt(range.group(1));
            var last = range.group(2) == null
                    ? first
                    : range.group(3) == null ? Integer.MAX_VALUE : Integer.parseInt(range.group(3));
            included |= cluster.isEmpty() || (first <= cluster.getAsInt() && cluster.getAsInt() <= last);
        }
        return included;
    }
}
