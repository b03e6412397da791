// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsCertificate;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsResource;
import io.fathom.wire.xds.store.XdsType;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What one client alone gets over its stream: a key and a certificate for the identity that it has proved, and the
/// roots of the mesh. Made when the client first asks: most have a companion that makes their keys. Any thread.
public final class OwnSecrets implements AutoCloseable {
    /// Names that every proxy knows them by.
    private static final String KEY = "default";

    private static final String ROOTS = "ROOTCA";
    private static final Set<String> NAMES = Set.of(KEY, ROOTS);
    private static final Logger log = LoggerFactory.getLogger(OwnSecrets.class);

    private final Function<Consumer<TlsIdentity>, Optional<AutoCloseable>> mint;
    private final ResourceStore store;
    private Optional<AutoCloseable> minting = Optional.empty();
    private boolean begun;
    private boolean closed;

    /// @param mint tells of a certificate and of each newer one until closed; empty for clients that get none
    public OwnSecrets(Function<Consumer<TlsIdentity>, Optional<AutoCloseable>> mint, InstantSource clock) {
        this.mint = mint;
        this.store = new ResourceStore(clock);
    }

    public static boolean isOwn(XdsType type, String name) {
        return type.equals(XdsType.SECRET) && NAMES.contains(name);
    }

    public ResourceStore store() {
        return store;
    }

    /// The client wants them.
    synchronized void begin() {
        if (!begun && !closed) {
            begun = true;
            minting = mint.apply(this::publish);
        }
    }

    private void publish(TlsIdentity identity) {
        var batch = new ResourceBatch();
        batch.put(XdsType.SECRET, XdsResource.of(KEY, key(identity)));
        batch.put(XdsType.SECRET, XdsResource.of(ROOTS, roots(identity)));
        store.publish(batch);
    }

    private static Secret key(TlsIdentity identity) {
        return Secret.newBuilder()
                .setName(KEY)
                .setTlsCertificate(TlsCertificate.newBuilder()
                        .setCertificateChain(inline(Pem.encode(identity.chain())))
                        .setPrivateKey(inline(Pem.encode(identity.key()))))
                .build();
    }

    private static Secret roots(TlsIdentity identity) {
        return Secret.newBuilder()
                .setName(ROOTS)
                .setValidationContext(
                        CertificateValidationContext.newBuilder().setTrustedCa(inline(Pem.encode(identity.ownRoots()))))
                .build();
    }

    private static DataSource inline(String pem) {
        return DataSource.newBuilder()
                .setInlineBytes(ByteString.copyFromUtf8(pem))
                .build();
    }

    @Override
    public synchronized void close() {
        closed = true;
        minting.ifPresent(it -> {
            try {
                it.close();
            } catch (Exception e) {
                log.atWarn().setCause(e).log("certificates of a client that left are renewed on");
            }
        });
    }
}
