// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.ca;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.dial.GrpcSocket;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.http2.GrpcRefusal;
import io.fathom.wire.protobuf.ProtoReader;
import io.fathom.wire.protobuf.ProtoWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Orders certificates like [CertificateConnection], without Netty and protobuf: for a program that orders one in
/// half a day and must be small. It orders for itself only. Blocks its caller; any number of threads.
///
/// @param server asked for its roots and its token at each order
/// @param timeout for each step of a call
public record CertificateCall(ServerConfig server, Duration timeout) {
    private static final String METHOD = "istio.v1.auth.IstioCertificateService/CreateCertificate";
    private static final int REQUEST_CSR = 1;
    private static final int REQUEST_SECONDS = 3;
    private static final int RESPONSE_CHAIN = 1;

    /// The chain as it came: leaf, intermediates, roots.
    ///
    /// @throws ProblemException when roots or token cannot be read, or the server gives no certificate
    public List<String> create(CertificateOrder order) {
        try {
            return read(GrpcSocket.ask(server, METHOD, write(order), timeout));
        } catch (GrpcRefusal e) {
            var retry = e.code().equals("INVALID_ARGUMENT") ? Retry.POINTLESS : Retry.SENSIBLE;
            throw new ProblemException(new Problem(
                    "ca-" + e.code().toLowerCase(Locale.ROOT).replace('_', '-'),
                    "the certificate authority answered " + e.code() + ": " + e.getMessage(),
                    "look for the reason in the audit log of the control plane",
                    Origin.SERVER,
                    retry));
        } catch (IOException e) {
            throw new ProblemException(new Problem(
                    "ca-unavailable",
                    "the certificate authority at " + server + " gave no answer: " + e.getMessage(),
                    "check that it runs, that its certificate has that name and our root, and that policies let us there",
                    Origin.SERVER,
                    Retry.SENSIBLE));
        }
    }

    static byte[] write(CertificateOrder order) {
        if (order.impersonatedIdentity().isPresent()) {
            throw new IllegalArgumentException("orders are for ourselves only");
        }
        var message = new ProtoWriter(); // from its end to its start
        message.number(REQUEST_SECONDS, Math.toIntExact(order.lifetime().toSeconds()));
        message.text(REQUEST_CSR, order.csr());
        return message.bytes();
    }

    static List<String> read(byte[] answer) throws IOException {
        var chain = new ArrayList<String>();
        for (var fields = new ProtoReader(answer); fields.next(); ) {
            if (fields.field() == RESPONSE_CHAIN) {
                chain.add(fields.text());
            }
        }
        return chain;
    }
}
