// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// What an Envoy shows to its clients.
final class ServedCertificate {
    private ServedCertificate() {}

    /// A listener that shows the certificate of the companion, as an entry of a list of listeners.
    static String listener(int port) {
        return """
                  - name: secure
                    address: {socket_address: {address: 127.0.0.1, port_value: %d}}
                    filter_chains:
                    - filters:
                      - name: echo
                        typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.echo.v3.Echo}
                      transport_socket:
                        name: tls
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
                          common_tls_context:
                            tls_certificate_sds_secret_configs:
                            - name: default
                              sds_config:
                                resource_api_version: V3
                                initial_fetch_timeout: 0s
                                api_config_source:
                                  api_type: GRPC
                                  transport_api_version: V3
                                  grpc_services: [{envoy_grpc: {cluster_name: sds-grpc}}]
                """.formatted(port).indent(0);
    }

    /// The first of the chain that a handshake on loopback gives.
    static X509Certificate at(int port) throws IOException {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Anybody()}, null);
            try (var socket = (SSLSocket) context.getSocketFactory().createSocket()) {
                socket.setSoTimeout(10_000);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10_000);
                socket.startHandshake();
                return (X509Certificate) socket.getSession().getPeerCertificates()[0];
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static final class Anybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
