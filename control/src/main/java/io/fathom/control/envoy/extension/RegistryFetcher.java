// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.oci.ImageReference;
import io.fathom.wire.oci.ModuleDownload;
import io.fathom.wire.oci.RegistryLogin;
import java.io.IOException;
import java.util.Optional;

/// Gets modules from registries and web servers.
public final class RegistryFetcher implements ModuleFetcher, AutoCloseable {
    private static final String OCI = "oci://";

    private final ModuleDownload download = new ModuleDownload();
    private final Secrets secrets;

    /// Reads Secrets of type `kubernetes.io/dockerconfigjson`.
    @FunctionalInterface
    public interface Secrets {
        /// Its key `.dockerconfigjson`; empty when there is no such Secret, or it may not be read.
        Optional<String> dockerConfig(ObjectKey secret) throws IOException, InterruptedException;
    }

    public RegistryFetcher(Secrets secrets) {
        this.secrets = secrets;
    }

    @Override
    public byte[] fetch(ModuleSource source) throws IOException, InterruptedException {
        if (!source.url().startsWith(OCI)) {
            return download.http(source.url(), source.sha256());
        }
        var image = ImageReference.parse(source.url().substring(OCI.length()))
                .orElseThrow(() -> new IOException(source.url() + " names no image with its registry"));
        var pinned = source.sha256().isEmpty() ? image : image.pinned(source.sha256());
        return download.image(pinned, login(source, image.registry()));
    }

    private Optional<RegistryLogin> login(ModuleSource source, String registry)
            throws IOException, InterruptedException {
        if (source.pullSecret().isEmpty()) {
            return Optional.empty();
        }
        var secret = source.pullSecret().get();
        var config = secrets.dockerConfig(secret)
                .orElseThrow(() -> new IOException("Secret " + secret.path() + " with the login of " + registry
                        + " is not there, or may not be read"));
        return RegistryLogin.find(config, registry);
    }

    @Override
    public void close() {
        download.close();
    }
}
