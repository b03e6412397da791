// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls.Mode;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientTls.Verification;
import java.util.ArrayList;
import java.util.List;

/// The Secrets that a `credentialName` towards a service stands for, by the names of their resources. Pure.
public final class UpstreamCredentials {
    private static final String BESIDE_THE_PROXY = "kubernetes://";

    private UpstreamCredentials() {}

    /// Empty without a name, and for a name that leads out of the proxy's namespace: nobody answers for that.
    public static List<String> of(ClientTls tls) {
        var names = new ArrayList<String>();
        if (!tls.credentialName().isEmpty() && tls.credentialName().indexOf('/') < 0) {
            if (tls.mode() == Mode.MUTUAL) {
                names.add(keyPair(tls));
            }
            if ((tls.mode() == Mode.MUTUAL || tls.mode() == Mode.SIMPLE)
                    && tls.verification() == Verification.REQUIRED) {
                names.add(authorities(tls));
            }
        }
        return names;
    }

    static String keyPair(ClientTls tls) {
        return BESIDE_THE_PROXY + tls.credentialName();
    }

    static String authorities(ClientTls tls) {
        return BESIDE_THE_PROXY + tls.credentialName() + "-cacert";
    }
}
