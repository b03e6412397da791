package io.fathom.wire.ca;

import io.fathom.wire.auth.Credentials;

/// Who answers orders. Called on virtual threads, so it may block.
@FunctionalInterface
public interface CertificateHandler {
    CertificateReply handle(Credentials credentials, CertificateOrder order);
}
