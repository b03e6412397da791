// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.wire.pki.SigningMaterial;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// An authority that never changes by itself.
final class FixedAuthority implements Authority {
    private final Subscribers subscribers = new Subscribers();
    private volatile SigningMaterial material;
    private volatile List<X509Certificate> roots;

    FixedAuthority(SigningMaterial material) {
        this.material = material;
        this.roots = material.roots();
    }

    void use(SigningMaterial next, List<X509Certificate> trusted) {
        material = next;
        roots = trusted;
        subscribers.tell();
    }

    @Override
    public SigningMaterial material() {
        return material;
    }

    @Override
    public List<X509Certificate> roots() {
        return roots;
    }

    @Override
    public AutoCloseable subscribe(Runnable onChange) {
        return subscribers.add(onChange);
    }

    @Override
    public AuthorityHealth health() {
        return AuthorityHealth.of("fixed", material, Instant.EPOCH, Optional.empty(), Instant.EPOCH);
    }

    @Override
    public void close() {}
}
