// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.settings.Setting;
import io.fathom.control.ambient.input.Feature;
import io.fathom.tools.args.Flag;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Every setting of fathomd, in the order of `--help`. A flag wins over the environment, which wins over the default.
/// Where upstream has a variable for it, that name is used. Switches of upstream's that have no flag of their own are
/// set through the environment only.
enum FathomdSetting implements Setting {
    MANIFESTS("--manifests", "FATHOM_MANIFESTS", "DIR,…", "", """
            Folder of Kubernetes manifests: every *.yaml, *.yml and *.json below it, watched while fathomd runs. \
            Of several, the last one that has an object counts. Without it, objects come from an API server."""),
    KUBECONFIG("--kubeconfig", "KUBECONFIG", "FILE", "", """
            How to reach the API server whose objects are served. By default what Kubernetes gives to every pod."""),
    REMOTE_MANIFESTS("--remote-manifests", "FATHOM_REMOTE_MANIFESTS", "CLUSTER=DIR,…", "", """
            Joins the cluster of that name, whose manifests are in that folder, to the mesh. Of it count Namespaces, \
            Pods, Services, Nodes, EndpointSlices and Gateways. Can be given several times."""),
    LISTEN_ADDRESS("--listen-address", "FATHOM_LISTEN_ADDRESS", "IP,…", "0.0.0.0", """
            Addresses that all ports listen on."""),
    PLAINTEXT_PORT("--plaintext-port", "FATHOM_PLAINTEXT_PORT", "N", "15010", """
            xDS without TLS. 0 takes any free port, here and below."""),
    TLS_PORT("--tls-port", "FATHOM_TLS_PORT", "N", "15012", "xDS over TLS."),
    HTTP_PORT("--http-port", "FATHOM_HTTP_PORT", "N", "15014", """
            HTTP: /metrics, /ready, /version and, from loopback, /debug."""),
    WEBHOOK_PORT("--webhook-port", "FATHOM_WEBHOOK_PORT", "N", "15017", """
            In a cluster: HTTPS for the API server, which asks /validate before it stores objects."""),
    HEALTH_PORT("--health-port", "FATHOM_HEALTH_PORT", "N", "8080", """
            In a cluster: the pages of the HTTP port again, for probes."""),
    CLUSTER_ID("--cluster-id", "CLUSTER_ID", "ID", "Kubernetes", "Name of the cluster that the manifests describe."),
    NETWORK("--network", "FATHOM_NETWORK", "ID", "", """
            Network of the cluster. The label topology.istio.io/network on the system namespace wins."""),
    TRUST_DOMAIN("--trust-domain", "TRUST_DOMAIN", "NAME", "cluster.local", """
            Trust domain of identities. MeshConfig trustDomain wins."""),
    DOMAIN("--domain", "FATHOM_DOMAIN", "NAME", "cluster.local", "DNS domain of the cluster's services."),
    SYSTEM_NAMESPACE("--system-namespace", "POD_NAMESPACE", "NAME", "istio-system", """
            Namespace of the control plane: holds ConfigMap istio and the network label."""),
    ROOT_NAMESPACE("--root-namespace", "FATHOM_ROOT_NAMESPACE", "NAME", "", """
            Namespace whose policies hold for the whole mesh. MeshConfig rootNamespace wins; otherwise the system \
            namespace."""),
    REVISION("--revision", "REVISION", "NAME", "default", """
            Revision of this control plane: Istio objects labelled for another one are ignored."""),
    ROOT_CERT_FILE("--root-cert-file", "FATHOM_ROOT_CERT_FILE", "FILE", "", """
            Where to write the root certificate (PEM) that verifies the TLS port."""),
    CA("--ca", "FATHOM_CA", "KIND", "auto", """
            Who signs certificates: self-signed, cacerts (plugged in), vault (see docs/ca-vault.md), or auto: cacerts \
            if there are any, else self-signed."""),
    CA_FILE("--ca-file", "FATHOM_CA_FILE", "FILE", "", """
            Where the self-signed root and its key are kept, readable by the owner only. Without it they end with \
            the process."""),
    TOKENS_DIR("--tokens-dir", "FATHOM_TOKENS_DIR", "DIR", "", """
            Without Kubernetes: where trusted node proxies find their tokens, as NAMESPACE/POD/istio-token."""),
    STATE_DIR("--state-dir", "FATHOM_STATE_DIR", "DIR", "", """
            With --manifests: where the last good version of policies is kept, for a restart while their text is \
            broken. By default .fathom in each folder of manifests, once there is a policy."""),
    DENY_UNENFORCEABLE("--deny-unenforceable-rules", Feature.DENY_UNENFORCEABLE_RULES, """
            Let DENY rules with HTTP attributes, which node proxies cannot check, deny as if those were not written. \
            By default such a rule denies nothing, and the policy says so."""),
    REQUIRE_WAYPOINT("--require-waypoint", Feature.REQUIRE_WAYPOINT, """
            Let pods with a waypoint take calls through it only, where its Gateway has no annotation \
            fathom.io/require-waypoint. By default they can be called directly, too."""),
    LOG_LEVEL("--log-level", "FATHOM_LOG_LEVEL", "LEVEL", "info", "error, warn, info, debug or trace."),
    COMPLIANCE_POLICY("", "COMPLIANCE_POLICY", "NAME", "", """
            What all TLS of the control plane and its Envoys is kept to. pqc: TLS 1.3 with post-quantum key exchange \
            only. fips-140-2: only P-256 and P-384. Node proxies have the same setting."""),
    LATER_ADDRESSES(Feature.LATER_ADDRESSES, """
            A Service without an address waits until a later folder of --manifests has it with one. By default it \
            counts as headless."""),
    CUSTOM_HOST("", "ISTIOD_CUSTOM_HOST", "HOST,…", "", "More DNS names for the certificate of the TLS port."),
    TRUSTED_NODE_ACCOUNTS("", "CA_TRUSTED_NODE_ACCOUNTS", "NS/SA,…", "", """
            Service accounts of node proxies, which get certificates for the pods on their node."""),
    DRAIN_TIME("", "FATHOM_DRAIN_TIME", "TIME", "5s", """
            In a pod: how long to go on serving once told to stop, while clients learn to go elsewhere."""),
    DEBUG_NAMESPACES("", "DEBUG_ENDPOINT_AUTH_ALLOWED_NAMESPACES", "NAME,…", "", """
            Whose clients may see the debug pages over xDS, besides those of the system namespace."""),
    ROOT_IN_CACERTS("", "USE_CACERTS_FOR_SELF_SIGNED_CA", "BOOL", "false", """
            In a cluster: keep the self-signed root in Secret cacerts rather than istio-ca-secret."""),
    CERT_TTL("", "DEFAULT_WORKLOAD_CERT_TTL", "TIME", "24h", "Lifetime of certificates for those who ask for none."),
    MAX_CERT_TTL("", "MAX_WORKLOAD_CERT_TTL", "TIME", "2160h", "Longest lifetime of certificates."),
    ROOT_CA_DIR("", "ROOT_CA_DIR", "DIR", "./etc/cacerts", """
            Folder with plugged certificates: ca-cert.pem, ca-key.pem, cert-chain.pem, root-cert.pem."""),
    MULTI_ROOT("", "ISTIO_MULTIROOT_MESH", "BOOL", "false", """
            Let the roots of plugged certificates change while fathomd runs, one coming or going at a time."""),
    ROOT_TTL("", "CITADEL_SELF_SIGNED_CA_CERT_TTL", "TIME", "87600h", "Lifetime of a self-signed root."),
    ROOT_CHECKS("", "CITADEL_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL", "TIME", "1h", """
            How often a self-signed root is compared with what is stored."""),
    AUTHENTICATORS("", "FATHOM_AUTHENTICATORS", "WAY,…", "certificate,jwt,token", """
            How clients of the TLS port may prove who they are."""),
    TOKEN_AUDIENCES("", "TOKEN_AUDIENCES", "NAME,…", "istio-ca", "Whom service account tokens must be for."),
    JWT_RULE("", "JWT_RULE", "JSON", "", """
            Another issuer of tokens: issuer, jwks_uri or jwks, audiences."""),
    TRUSTED_GATEWAYS("", "TRUSTED_GATEWAY_CIDR", "CIDR,…", "", """
            Gateways whose x-forwarded-client-cert is believed."""),
    XDS_AUTH("", "XDS_AUTH", "BOOL", "true", "Clients that open streams on the TLS port have to be known."),
    XDS_AUTH_PLAINTEXT("", "XDS_AUTH_PLAINTEXT", "BOOL", "false", "Likewise on the plaintext port."),
    XDS_IDENTITY_CHECK("", "PILOT_ENABLE_XDS_IDENTITY_CHECK", "BOOL", "true", """
            Known clients can only be proxies of their own namespace and account."""),
    MAX_RECEIVE("", "ISTIO_GPRC_MAXRECVMSGSIZE", "BYTES", "209715200", """
            Largest request of an xDS client. One that names a million resources it still has takes 100 MB."""),
    POD_NAME("", "POD_NAME", "NAME", "", """
            Name under which this control plane competes to lead. By default one of its own making."""),
    LEADER_ELECTION("", "ENABLE_LEADER_ELECTION", "BOOL", "true", """
            In a cluster only one control plane writes; false lets this one write whoever else does."""),
    DEPLOY_GATEWAYS("", "PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER", "BOOL", "true", """
            In a cluster: deploy what Gateways ask for."""),
    GATEWAY_CLASSES("", "PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER", "BOOL", "true", """
            In a cluster: create the classes of Gateways that are missing."""),
    GATEWAY_STATUS("", "PILOT_ENABLE_GATEWAY_API_STATUS", "BOOL", "true", """
            In a cluster: write the status of Gateways and their classes."""),
    SELF_DESCRIPTION("", "PEERING_AUTOMATIC_LOCAL_GATEWAY", "BOOL", "false", """
            In a cluster: keep a Gateway of class istio-remote that stands for this cluster, beside its east-west \
            gateway, for a fleet to copy."""),
    UNTAINT_NODES("", "PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS", "BOOL", "false", """
            In a cluster: take the taint off nodes whose istio-cni pod is ready."""),
    TAINT("", "PILOT_NODE_UNTAINT_CONTROLLERS_TAINT_NAME", "KEY", "cni.istio.io/not-ready", "The key of that taint."),
    CNI_NAMESPACE("", "FATHOM_CNI_NAMESPACE", "NAME", "", """
            Namespace of the istio-cni pods; the system namespace unless set."""),
    WAYPOINT_PATIENCE("", "FATHOM_WAYPOINT_PATIENCE", "TIME", "5s", """
            How long node proxies are not told to send through a waypoint whose proxies do not acknowledge that they \
            serve it, and how long these go on when node proxies do not acknowledge the opposite."""),
    WAYPOINT_DRAIN("", "FATHOM_WAYPOINT_DRAIN", "TIME", "2s", """
            How long a waypoint still serves what was taken from it once node proxies have acknowledged that."""),
    PROXY_IMAGE("", "FATHOM_PROXY_IMAGE", "IMAGE", "", """
            Image of deployed gateways. Without it localhost/proxy, of our own version."""),
    PROXY_PULL_POLICY("", "FATHOM_PROXY_PULL_POLICY", "WORD", "", "Pull policy of that image."),
    PROXY_LOG_LEVEL("", "FATHOM_PROXY_LOG_LEVEL", "LEVEL", "warning", "Log level of deployed gateways."),
    DRY_RUN_POLICIES(Feature.DRY_RUN_AUTHORIZATION, """
            Serve policies annotated istio.io/dry-run as dry runs instead of refusing them."""),
    SEVERAL_CUSTOM_PROVIDERS(Feature.SEVERAL_CUSTOM_PROVIDERS, """
            Let CUSTOM policies of one service name different providers; all of them must agree."""),
    MULTI_NETWORK(Feature.MULTI_NETWORK, """
            Fold WorkloadEntries of other networks behind their network's gateway, and let clusters join that Secrets \
            name. On where --remote-manifests or PILOT_MULTICLUSTER_KUBECONFIG_PATH is set."""),
    PEERING(Feature.PEERING, """
            Let clusters join, whatever Gateways there are. A Gateway of class istio-remote or istio-east-west is as \
            good a reason."""),
    REMOTE_TIMEOUT("", "PILOT_REMOTE_CLUSTER_TIMEOUT", "TIME", "30s", """
            How long a start waits for another cluster. It joins later when it could be read."""),
    NO_REMOTE_SECRETS("", "DISABLE_LEGACY_MULTICLUSTER", "BOOL", "false", """
            In a cluster: join no clusters because of Secrets labelled istio/multiCluster=true."""),
    REMOTE_KUBECONFIGS("", "PILOT_MULTICLUSTER_KUBECONFIG_PATH", "DIR", "", """
            Folder of kubeconfigs, *.yaml and *.yml: the cluster of each joins the mesh."""),
    INSECURE_KUBECONFIGS("", "PILOT_INSECURE_MULTICLUSTER_KUBECONFIG_OPTIONS", "WORD,…", "", """
            What kubeconfigs of other clusters may use besides tokens and certificates inside them: exec, tokenFile, \
            clientKey, clientCertificate, certificateAuthority."""),
    MULTI_NETWORK_WAYPOINTS(Feature.MULTI_NETWORK_WAYPOINT, """
            Where there are several networks, let waypoints send to the others, too."""),
    MULTI_NETWORK_INGRESS(Feature.MULTI_NETWORK_INGRESS, """
            Likewise ingress gateways."""),
    MESH_WIDE_NAMES(Feature.MESH_WIDE_NAMES, """
            Give each service that belongs to all clusters the name NAME.NAMESPACE.mesh.internal, which means it \
            wherever it is."""),
    MCS_HOSTS(Feature.MCS_HOSTS, """
            Give each service that a ServiceExport exports the name NAME.NAMESPACE.svc.clusterset.local."""),
    MCS_DISCOVERY(Feature.MCS_DISCOVERY, """
            Let the name NAME.NAMESPACE.svc.cluster.local of an exported service mean all clusters, too."""),
    MCS_CLUSTER_LOCAL(Feature.MCS_CLUSTER_LOCAL, """
            Unless this is on: then that name means the endpoints of its own cluster, as without that setting."""),
    MCS_AUTO_EXPORT(Feature.MCS_AUTO_EXPORT, """
            Treat every Service outside of kube-system as if it had a ServiceExport."""),
    ALLOW_WAYPOINTS(Feature.AUTO_ALLOW_WAYPOINT, """
            Make a policy for each waypoint that lets it reach what it serves."""),
    SERVICES_SELECT_ENTRIES(Feature.SERVICES_SELECT_ENTRIES, """
            Let Services select WorkloadEntries."""),
    ENTRIES_SELECT_PODS(Feature.ENTRIES_SELECT_PODS, """
            Let ServiceEntries select pods."""),
    ALLOCATE_ADDRESSES(Feature.ADDRESS_ALLOCATION, "Give addresses to ServiceEntries without any."),
    IPV4_PREFIX("", "PILOT_IP_AUTOALLOCATE_IPV4_PREFIX", "CIDR", "240.240.0.0/16", """
            Where addresses for ServiceEntries without any come from."""),
    IPV6_PREFIX("", "PILOT_IP_AUTOALLOCATE_IPV6_PREFIX", "CIDR", "2001:2::/48", "Likewise, IPv6.");

    private final String flag;
    private final String variable;
    private final Description description;
    private final Optional<Feature> feature;

    FathomdSetting(String flag, String variable, String label, String fallback, String help) {
        this(flag, variable, label, fallback, help, Optional.empty());
    }

    FathomdSetting(Feature feature, String help) {
        this("", feature, help);
    }

    FathomdSetting(String flag, Feature feature, String help) {
        this(flag, feature.variable(), "BOOL", String.valueOf(feature.onByDefault()), help, Optional.of(feature));
    }

    FathomdSetting(
            String flag, String variable, String label, String fallback, String help, Optional<Feature> feature) {
        this.variable = variable;
        this.description = new Description(label, fallback, help);
        this.feature = feature;
        this.flag = flag;
    }

    static List<FathomdSetting> withoutFlag() {
        return Arrays.stream(values()).filter(setting -> setting.flag.isEmpty()).toList();
    }

    /// Empty when it can only be set through the environment.
    @Override
    public Optional<Flag> flag() {
        return flag.isEmpty() ? Optional.empty() : Optional.of(flag(flag));
    }

    @Override
    public String variable() {
        return variable;
    }

    @Override
    public Description description() {
        return description;
    }

    @Override
    public boolean isRepeatable() {
        return this == REMOTE_MANIFESTS;
    }

    /// The switch of the derivations that it sets.
    Optional<Feature> feature() {
        return feature;
    }
}
