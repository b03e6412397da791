// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.join;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Who the agent of a cluster is: `spiffe://<fleet>/cluster/<uid>/agent`.
public record ClusterIdentity(String fleet, String uid) {
    private static final Pattern FORM =
            Pattern.compile("spiffe://([a-z0-9._-]{1,253})/cluster/([A-Za-z0-9-]{1,64})/agent");
    private static final Pattern UID = Pattern.compile("[A-Za-z0-9-]{1,64}");
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?");

    /// Whether a text can be the UID of a cluster.
    public static boolean isUid(String text) {
        return UID.matcher(text).matches();
    }

    /// Whether a text can be the name of a cluster: it becomes a part of names of objects.
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /// Of a certificate's names; nothing unless there is exactly that one.
    public static Optional<ClusterIdentity> of(List<String> names) {
        if (names.size() != 1) {
            return Optional.empty();
        }
        var form = FORM.matcher(names.getFirst());
        return form.matches() ? Optional.of(new ClusterIdentity(form.group(1), form.group(2))) : Optional.empty();
    }

    public String uri() {
        return "spiffe://" + fleet + "/cluster/" + uid + "/agent";
    }
}
