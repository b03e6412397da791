// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.netns;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// Which container of which pod a process belongs to, by its control groups. Pure. Parsed by hand: the paths come from
/// whoever can name a control group, and a pattern could be made to take forever.
///
/// @param uid the pod's, in its usual form with dashes
record PodCgroup(String uid, String container) {
    private static final int[] GROUPS = {8, 4, 4, 4, 12};
    private static final String SCOPE = ".scope";

    /// From the text of `/proc/<pid>/cgroup`. Empty for a process of no pod, and for one that seems to be in several.
    static Optional<PodCgroup> parse(String text) {
        Set<PodCgroup> found = new HashSet<>();
        for (var line : text.split("\n", -1)) {
            var first = line.indexOf(':');
            var second = first < 0 ? -1 : line.indexOf(':', first + 1);
            if (second >= 0) {
                ofPath(line.substring(second + 1)).ifPresent(found::add);
            }
        }
        return found.size() == 1 ? found.stream().findFirst() : Optional.empty();
    }

    private static Optional<PodCgroup> ofPath(String path) {
        for (var at = path.indexOf("pod"); at >= 0; at = path.indexOf("pod", at + 1)) {
            if (at > 0 && isPunctuation(path.charAt(at - 1))) {
                var uid = new StringBuilder();
                var end = uid(path, at + "pod".length(), uid);
                if (end > 0 && (end == path.length() || isPunctuation(path.charAt(end)))) {
                    return container(path, end).map(id -> new PodCgroup(uid.toString(), id));
                }
            }
        }
        return Optional.empty();
    }

    /// Where the UID ends that begins at `start`; negative if there is none.
    private static int uid(String path, int start, StringBuilder uid) {
        var at = start;
        for (var group : GROUPS) {
            if (group != GROUPS[0] || !uid.isEmpty()) {
                uid.append('-');
                if (at < path.length() && isPunctuation(path.charAt(at)) && path.charAt(at) != '/') {
                    at++;
                }
            }
            for (var digit = 0; digit < group; digit++, at++) {
                if (at >= path.length() || Character.digit(path.charAt(at), 16) < 0) {
                    return -1;
                }
                uid.append(Character.toLowerCase(path.charAt(at)));
            }
        }
        return at;
    }

    /// The part of the path after the pod's, without what the container's runtime puts before its id.
    private static Optional<String> container(String path, int afterUid) {
        var slash = path.indexOf('/', afterUid);
        if (slash < 0) {
            return Optional.empty(); // the pod's own group: no container's
        }
        var next = path.indexOf('/', slash + 1);
        var part = path.substring(slash + 1, next < 0 ? path.length() : next);
        if (part.endsWith(SCOPE)) {
            part = part.substring(0, part.length() - SCOPE.length());
        }
        var start = part.length();
        while (start > 0 && !isPunctuation(part.charAt(start - 1))) {
            start--;
        }
        return Optional.of(part.substring(start)).filter(id -> !id.isEmpty());
    }

    private static boolean isPunctuation(char c) {
        return c > ' ' && c < 127 && !Character.isLetterOrDigit(c);
    }
}
