// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.control.ca.CaObserver;
import io.prometheus.metrics.core.metrics.Counter;

/// The counters of the certificate service under upstream's names, and why requests were refused under our own.
public final class IdentityMetrics implements CaObserver {
    private final Counter received;
    private final Counter unauthenticated;
    private final Counter unreadable;
    private final Counter failed;
    private final Counter issued;
    private final Counter refusals;

    public IdentityMetrics(ControlMetrics metrics) {
        received = metrics.counter("citadel_server_csr_count", "Certificate requests.");
        unauthenticated = metrics.counter(
                "citadel_server_authentication_failure_count",
                "Requests of callers that are not known or must not have what they asked for.");
        unreadable = metrics.counter("citadel_server_csr_parsing_err_count", "Requests that are not acceptable.");
        failed = metrics.counter("citadel_server_csr_sign_err_count", "Requests that could not be signed.", "error");
        issued = metrics.counter("citadel_server_success_cert_issuance_count", "Certificates issued.");
        refusals = metrics.counter("fathom_ca_refusals", "Requests that got no certificate, by reason.", "reason");
    }

    @Override
    public void received() {
        received.inc();
    }

    @Override
    public void refused(String code) {
        unauthenticated.inc();
        refusals.labelValues(code).inc();
    }

    @Override
    public void invalid(String code) {
        unreadable.inc();
        refusals.labelValues(code).inc();
    }

    @Override
    public void failed(String code) {
        failed.labelValues(code).inc();
        refusals.labelValues(code).inc();
    }

    @Override
    public void issued() {
        issued.inc();
    }
}
