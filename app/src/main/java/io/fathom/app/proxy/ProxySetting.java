// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.app.settings.Setting;

/// Every setting of the companion that comes from the environment, with upstream's names; ours begin with FATHOM.
enum ProxySetting implements Setting {
    POD_NAME("NAME", "", "Name of our pod."),
    POD_NAMESPACE("NS", "default", "Its namespace."),
    SERVICE_ACCOUNT("NAME", "default", "Its service account."),
    INSTANCE_IP("IP", "", "Its address."),
    INSTANCE_IPS("IPS", "", "All of its addresses."),
    TRUST_DOMAIN("NAME", "cluster.local", "The trust domain of its certificate."),
    PROXY_CONFIG("YAML", "", """
            ProxyConfig: discoveryAddress, proxyAdminPort, statusPort, concurrency, configPath, binaryPath, \
            terminationDrainDuration and proxyMetadata are read."""),
    CA_ADDR("ADDRESS", "", "The certificate authority; without it, the control plane."),
    XDS_ROOT_CA("FILE", "./var/run/secrets/istio/root-cert.pem", "What verifies the control plane."),
    CA_ROOT_CA("FILE", "./var/run/secrets/istio/root-cert.pem", "What verifies the certificate authority."),
    AUTH_TOKEN("FILE", "./var/run/secrets/tokens/istio-token", "The token that says who we are."),
    COMPLIANCE_POLICY("NAME", "", "pqc: only post-quantum key exchange. fips-140-2: only P-256 and P-384."),
    SECRET_TTL("TIME", "24h", "Lifetime of the certificate that is asked for."),
    ENVOY_STATUS_PORT("PORT", "15021", "Where Envoy serves readiness."),
    ENVOY_PROMETHEUS_PORT("PORT", "15090", "Where Envoy serves its own metrics."),
    EXIT_ON_ZERO_ACTIVE_CONNECTIONS("BOOL", "false", "Stop when the last connection has ended, not after a time."),
    MINIMUM_DRAIN_DURATION("TIME", "5s", "The least time that draining takes then."),
    TERMINATION_DRAIN_DURATION_SECONDS("N", "", "How long draining takes; 5 unless PROXY_CONFIG says otherwise."),
    ISTIO_CPU_LIMIT("N", "", "Cores of the container: as many workers has Envoy."),
    ISTIO_DUAL_STACK("BOOL", "false", "Listen on IPv6, too."),
    FATHOM_ENVOY("FILE", "/usr/local/bin/envoy", "Envoy, unless PROXY_CONFIG names a binaryPath."),
    FATHOM_PROXY_DIR("DIR", "./etc/istio/proxy", "Where Envoy's bootstrap is written, unless PROXY_CONFIG says it."),
    FATHOM_POD_INFO("DIR", "./etc/istio/pod", "Where files name the pod's labels and annotations."),
    FATHOM_SECRETS_SOCKET("PATH", "./var/run/secrets/workload-spiffe-uds/socket", "Where Envoy gets its secrets.");

    private final Description description;

    ProxySetting(String label, String fallback, String help) {
        this.description = new Description(label, fallback, help);
    }

    @Override
    public Description description() {
        return description;
    }
}
