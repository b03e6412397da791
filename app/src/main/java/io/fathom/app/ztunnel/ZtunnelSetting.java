// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.settings.Setting;

/// Every setting of ztunnel, in the order of `help`: environment variables with upstream's names. What is set neither
/// there nor in the mesh file has the default here; an empty one is worked out from the others.
enum ZtunnelSetting implements Setting {
    PROXY_MODE("MODE", "shared", "shared: for all pods of a node. dedicated: for one workload."),
    PROXY_WORKLOAD_INFO("NS/NAME/SA", "", "The workload that a dedicated proxy is for."),
    XDS_ADDRESS("URL", "", """
            The control plane, TLS only. In Kubernetes https://istiod.istio-system.svc:15012, else \
            https://localhost:15012; none goes without."""),
    CA_ADDRESS("URL", "", "The certificate authority; the same default."),
    XDS_ROOT_CA("FILE", "./var/run/secrets/istio/root-cert.pem", """
            What verifies the control plane: a file, SYSTEM, or PEM itself."""),
    CA_ROOT_CA("FILE", "./var/run/secrets/istio/root-cert.pem", "What verifies the certificate authority, likewise."),
    ALT_XDS_HOSTNAME("NAME", "", "Another name that the control plane's certificate may have."),
    ALT_CA_HOSTNAME("NAME", "", "Another name that the certificate authority's certificate may have."),
    AUTH_TOKEN("FILE", "./var/run/secrets/tokens/istio-token", "The token that says who we are: a file, or itself."),
    CLUSTER_ID("ID", "Kubernetes", "Name of the cluster; ISTIO_META_CLUSTER_ID wins."),
    CLUSTER_DOMAIN("NAME", "cluster.local", "DNS domain of the cluster's services."),
    NETWORK("ID", "", "The network we are in."),
    NODE_NAME("NAME", "", "The node we are on. Without it every workload counts as local."),
    SECRET_TTL("TIME", "24h", "Lifetime of the certificates that are asked for."),
    XDS_ON_DEMAND("BOOL", "false", "Ask for workloads and services when they are needed; not together with DNS."),
    LOCAL_XDS_PATH("FILE", "", "Workloads, services and policies in a file (YAML, the shape of the dump)."),
    LOCAL_XDS("YAML", "", "The same, inline."),
    PREFERED_SERVICE_NAMESPACE("NS", "", "Whose service wins when several answer to one name."),
    ZTUNNEL_WORKER_THREADS("N", "", "Threads for traffic: a number, a percentage of the cores, or 0 for all cores."),
    ZTUNNEL_RESOURCE_CPU_LIMIT("CPU", "", "CPU limit of the container, like 500m or 2."),
    ZTUNNEL_RESOURCE_CPU_REQUEST("CPU", "", "CPU request of the container."),
    ZTUNNEL_CPU_LIMIT("CPU", "", "Another name of the limit."),
    POOL_MAX_STREAMS_PER_CONNECTION("N", "100", "Streams that share one HBONE connection."),
    POOL_UNUSED_RELEASE_TIMEOUT("TIME", "5m", "How long an unused HBONE connection is kept."),
    HTTP2_STREAM_WINDOW_SIZE("BYTES", "4194304", "HTTP/2 window of a stream."),
    HTTP2_CONNECTION_WINDOW_SIZE("BYTES", "16777216", "HTTP/2 window of a connection."),
    HTTP2_FRAME_SIZE("BYTES", "1048576", "Largest HTTP/2 frame that we take."),
    CONNECTION_TERMINATION_DEADLINE("TIME", "", "How long connections may go on after the order to stop."),
    TERMINATION_GRACE_PERIOD_SECONDS("N", "", "What Kubernetes grants; the deadline follows from it."),
    KEEPALIVE_TIME("TIME", "180s", "Silence before TCP probes."),
    KEEPALIVE_INTERVAL("TIME", "180s", "Time between TCP probes."),
    KEEPALIVE_RETRIES("N", "9", "TCP probes before a connection is given up."),
    KEEPALIVE_ENABLED("BOOL", "true", "Probe at all."),
    USER_TIMEOUT_ENABLED("BOOL", "false", "Give up unacknowledged data after as long as the probes take."),
    INPOD_UDS("PATH", "/var/run/ztunnel/ztunnel.sock", "Socket of the node agent."),
    INPOD_PORT_REUSE("BOOL", "true", "Share the ports of pods with another ztunnel, for upgrades."),
    PACKET_MARK("N", "1337", "Mark of our packets in pods."),
    ENABLE_ORIG_SRC("BOOL", "", "Keep the client's address towards applications: true, false, or if possible."),
    IPV6_ENABLED("BOOL", "true", "Listen on IPv6 too."),
    LOCALHOST_APP_TUNNEL("BOOL", "true", "Reach PROXY protocol applications over loopback."),
    ENABLE_RESPONSE_BAGGAGE("BOOL", "true", "Tell clients who served them, and listen to who they say they are."),
    CRL_PATH("FILE", "", "Revoked certificates, PEM or DER."),
    TLS12_ENABLED("BOOL", "false", "Also speak TLS 1.2."),
    COMPLIANCE_POLICY("NAME", "", "pqc: only post-quantum key exchange. fips-140-2: only P-256 and P-384."),
    FATHOM_TRUST_DOMAIN_ALIASES("NAMES", "", "Trust domains besides our own whose clients are served, with commas."),
    AUTHZ_POLICY_INFO_LOGGING("BOOL", "false", "Log decisions of policies as info."),
    RUST_LOG("LEVEL", "info", "error, warn, info, debug or trace."),
    LOG_FORMAT("FORMAT", "plain", "plain or json."),
    ISTIO_META_DNS_CAPTURE("BOOL", "true", "Answer DNS; anything but true turns it off."),
    ISTIO_META_DNS_PROXY_ADDR("ADDRESS", "localhost:15053", "Where to answer DNS in each pod."),
    PROXY_CONFIG("YAML", "", "discoveryAddress, proxyAdminPort, statsPort, concurrency, proxyMetadata."),
    MESH_CONFIG_FILE("FILE", "./etc/istio/config/mesh", "The same under defaultConfig."),
    INSTANCE_IP("IP", "", "Our own address."),
    POD_NAME("NAME", "", "Our own pod."),
    POD_NAMESPACE("NS", "", "Our own namespace."),
    SERVICE_ACCOUNT("NAME", "", "Our own service account."),
    TRUST_DOMAIN("NAME", "cluster.local", "Trust domain of our own identity."),
    UNSTABLE_ENABLE_SOCKS5("BOOL", "false", "Listen for SOCKS5 on 15080 of each pod."),
    ENABLE_PROXY("BOOL", "true", "Carry traffic; false leaves DNS only.");

    private final Description description;

    ZtunnelSetting(String label, String fallback, String help) {
        this.description = new Description(label, fallback, help);
    }

    @Override
    public Description description() {
        return description;
    }
}
