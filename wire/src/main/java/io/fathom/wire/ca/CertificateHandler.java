package io.fathom.wire.ca;

/// Who answers orders. Called on virtual threads, so it may block.
@FunctionalInterface
public interface CertificateHandler {
    CertificateReply handle(Credentials credentials, CertificateOrder order);
}
