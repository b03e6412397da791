// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.kube.tree.Field;
import java.util.Set;

/// What a kubeconfig may use. Whoever may write one that we read could otherwise have us run programs and send files of
/// ours to a server of theirs.
///
/// @param everything whether all is allowed
/// @param options what is, in upstream's words
public record KubeconfigTrust(Everything everything, Set<String> options) {
    /// Whether its author may do here what we may.
    public enum Everything {
        YES,
        NO
    }

    /// For files of our own.
    static final KubeconfigTrust FULL = new KubeconfigTrust(Everything.YES, Set.of());

    public KubeconfigTrust {
        options = Set.copyOf(options);
    }

    /// For what comes from elsewhere: tokens and certificates that are inside, and what is named here.
    public static KubeconfigTrust only(Set<String> options) {
        return new KubeconfigTrust(Everything.NO, options);
    }

    /// Looks at all users and clusters, also those that the current context does not name.
    void check(Field root) {
        if (everything == Everything.YES) {
            return;
        }
        for (var item : root.at("users").items()) {
            var user = item.at("user");
            refuse(user.at("exec"), "exec");
            refuse(user.at("tokenFile"), "tokenFile");
            refuse(user.at("client-key"), "clientKey");
            refuse(user.at("client-certificate"), "clientCertificate");
            var provider = user.at("auth-provider").at("name");
            if (provider.isPresent() && !provider.text().equals("oidc")) {
                refuse(user.at("auth-provider"), provider.text());
            }
        }
        for (var item : root.at("clusters").items()) {
            refuse(item.at("cluster").at("certificate-authority"), "certificateAuthority");
        }
    }

    private void refuse(Field field, String option) {
        if (field.isPresent() && !options.contains(option)) {
            throw field.wrong(
                    "kubeconfig-unsafe",
                    "is not allowed in the kubeconfig of another cluster",
                    "write a token or certificate into it, or allow it with"
                            + " PILOT_INSECURE_MULTICLUSTER_KUBECONFIG_OPTIONS=" + option);
        }
    }
}
