// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.envoy.extension.RegistryFetcher;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/// Where the logins are that registries of modules want.
final class PullSecrets implements RegistryFetcher.Secrets {
    private final Optional<KubeClient> client;

    /// @param client of the cluster, if there is one
    PullSecrets(Optional<KubeClient> client) {
        this.client = client;
    }

    @Override
    public Optional<String> dockerConfig(ObjectKey secret) throws IOException {
        try {
            return client.flatMap(api -> api.get(KubeResource.SECRETS, secret.namespace(), secret.name()))
                    .map(object ->
                            object.root().at("data").at(".dockerconfigjson").text())
                    .filter(text -> !text.isEmpty())
                    .map(text -> new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8));
        } catch (ProblemException | IllegalArgumentException e) {
            throw new IOException("Secret " + secret.path() + " cannot be read: " + e.getMessage(), e);
        }
    }
}
