// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.deploy.Charts.Case;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.StockProgram;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.tree.Json;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the accounts of the charts may do, as a real API server with roles decides: all that the programs do, and
/// nothing that they have no business with.
///
/// A line is `ACCOUNT VERBS RESOURCE[.GROUP][/SUBRESOURCE] [NAMESPACE[/NAME]]`; the namespace `-` means all or none.
@Tag("slow")
@Timeout(300)
class PermissionsIT {
    private static final KubeResource REVIEWS =
            new KubeResource("authorization.k8s.io", "v1", "subjectaccessreviews", KubeResource.Scope.CLUSTER);

    private static @Nullable KubeApiServer server;
    private static @Nullable KubeClient client;

    @BeforeAll
    static void start() {
        StockProgram.HELM.require();
        StockProgram.KUBECTL.require();
        server = KubeApiServer.start(InstantSource.system(), KubeApiServer.Rights.BY_ROLE);
        client = new KubeClient(KubeConfig.fromFile(server.kubeconfig()), KubeSettings.DEFAULT);
        var kubeconfig = "--kubeconfig=" + server.kubeconfig();
        for (var namespace : List.of("istio-system", "istio-eastwest")) {
            Charts.run(StockProgram.KUBECTL, List.of(kubeconfig, "create", "namespace", namespace), "");
        }
        for (var what : List.of(
                new Case("fathomd", "default"),
                new Case("fathomd", "ca-helper"),
                new Case("fathomd", "revision"),
                new Case("fathom-cni", "default"),
                new Case("ztunnel", "default"),
                new Case("fathom-fleet", "default"),
                new Case("fathom-agent", "default"))) {
            var ran = Charts.run(
                    StockProgram.KUBECTL,
                    List.of(kubeconfig, "apply", "--server-side", "-f", "-"),
                    Charts.render(what));
            assertThat(ran.code()).as(ran.text()).isZero();
        }
    }

    @AfterAll
    static void stop() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // reading the mesh
                "istiod get,list,watch pods -",
                "istiod get,list,watch services -",
                "istiod get,list,watch namespaces -",
                "istiod get,list,watch nodes -",
                "istiod get,list,watch configmaps -",
                "istiod get,list,watch endpointslices.discovery.k8s.io -",
                "istiod get,list,watch serviceentries.networking.istio.io -",
                "istiod get,list,watch workloadentries.networking.istio.io -",
                "istiod get,list,watch virtualservices.networking.istio.io -",
                "istiod get,list,watch destinationrules.networking.istio.io -",
                "istiod get,list,watch backendtlspolicies.gateway.networking.k8s.io -",
                "istiod get,list,watch xbackendtrafficpolicies.gateway.networking.x-k8s.io -",
                "istiod get,list,watch listenersets.gateway.networking.k8s.io -",
                "istiod get,list,watch gateways.networking.istio.io -",
                "istiod get,list,watch authorizationpolicies.security.istio.io -",
                "istiod get,list,watch peerauthentications.security.istio.io -",
                "istiod get,list,watch requestauthentications.security.istio.io -",
                "istiod get,list,watch gateways.gateway.networking.k8s.io -",
                "istiod get,list,watch gatewayclasses.gateway.networking.k8s.io -",
                "istiod get,list,watch httproutes.gateway.networking.k8s.io -",
                "istiod get,list,watch grpcroutes.gateway.networking.k8s.io -",
                "istiod get,list,watch tcproutes.gateway.networking.k8s.io -",
                "istiod get,list,watch tlsroutes.gateway.networking.k8s.io -",
                "istiod get,list,watch envoyfilters.networking.istio.io -",
                "istiod get,list,watch telemetries.telemetry.istio.io -",
                "istiod get,list,watch wasmplugins.extensions.istio.io -",
                "istiod get,list,watch trafficextensions.extensions.istio.io -",
                "istiod get,list,watch serviceexports.multicluster.x-k8s.io -",
                "istiod get,list,watch serviceimports.multicluster.x-k8s.io -",
                // writing statuses
                "istiod patch serviceexports.multicluster.x-k8s.io/status shop",
                // importing services
                "istiod create,patch,delete serviceimports.multicluster.x-k8s.io shop",
                "istiod patch serviceimports.multicluster.x-k8s.io/status shop",
                "istiod patch services/status shop",
                "istiod patch serviceentries.networking.istio.io/status shop",
                "istiod patch workloadentries.networking.istio.io/status shop",
                "istiod patch authorizationpolicies.security.istio.io/status shop",
                "istiod patch requestauthentications.security.istio.io/status shop",
                "istiod patch virtualservices.networking.istio.io/status shop",
                "istiod patch destinationrules.networking.istio.io/status shop",
                "istiod patch envoyfilters.networking.istio.io/status shop",
                "istiod patch telemetries.telemetry.istio.io/status shop",
                "istiod patch wasmplugins.extensions.istio.io/status shop",
                "istiod patch trafficextensions.extensions.istio.io/status shop",
                "istiod patch gateways.gateway.networking.k8s.io/status shop",
                "istiod patch gatewayclasses.gateway.networking.k8s.io/status -",
                "istiod patch httproutes.gateway.networking.k8s.io/status shop",
                "istiod patch backendtlspolicies.gateway.networking.k8s.io/status shop",
                "istiod patch xbackendtrafficpolicies.gateway.networking.x-k8s.io/status shop",
                "istiod patch listenersets.gateway.networking.k8s.io/status shop",
                // leading
                "istiod get,create,patch leases.coordination.k8s.io istio-system",
                "istiod get,create,patch configmaps istio-system/istio-leader",
                // deploying gateways
                "istiod create gatewayclasses.gateway.networking.k8s.io -",
                "istiod patch gateways.gateway.networking.k8s.io shop",
                "istiod get,create,patch,delete deployments.apps shop",
                "istiod get,create,patch,delete services shop",
                "istiod get,create,patch,delete serviceaccounts shop",
                "istiod get,create,patch,delete horizontalpodautoscalers.autoscaling shop",
                "istiod get,create,patch,delete poddisruptionbudgets.policy shop",
                // certificates of gateways
                "istiod get,list,watch secrets shop",
                // identities
                "istiod create tokenreviews.authentication.k8s.io -",
                "istiod get,list,watch,create,patch secrets istio-system/istio-ca-secret",
                "istiod create configmaps shop",
                "istiod patch configmaps shop/istio-ca-root-cert",
                // the webhook
                "istiod get,list,watch,patch validatingwebhookconfigurations.admissionregistration.k8s.io"
                        + " -/istio-validator-istio-system",
                "istiod create authorizationpolicies.security.istio.io istio-system",
                // taking taints off nodes, where that is wanted
                "istiod-canary patch nodes -",
                // the helper of the certificate authority
                "istiod-ca-helper create secrets istio-system",
                "istiod-ca-helper get,patch secrets istio-system/cacerts",
                // the node agent
                "istio-cni get,list,watch pods -",
                "istio-cni get,list,watch namespaces -",
                "istio-cni patch pods/status shop",
                "istio-cni get nodes -",
                "istio-cni get daemonsets.apps istio-system/istio-cni-node",
                // the management server
                "fathom-fleet get,list,watch,create,patch fleetclusters.fleet.fathom.io istio-system",
                "fathom-fleet get,list,watch,create,patch,delete fleettokens.fleet.fathom.io istio-system",
                "fathom-fleet create secrets istio-system",
                "fathom-fleet get secrets istio-system/fathom-fleet-authority",
                "fathom-fleet create configmaps istio-system",
                "fathom-fleet get,patch configmaps istio-system/fathom-fleet-ledger",
                // the agent of a fleet
                "fathom-agent get,list,watch namespaces -",
                "fathom-agent get,list,watch nodes -",
                "fathom-agent get,list,watch,create,patch,delete gateways.gateway.networking.k8s.io istio-eastwest",
                "fathom-agent get,list,watch services istio-eastwest",
                "fathom-agent get,list,watch endpointslices.discovery.k8s.io istio-eastwest",
                "fathom-agent get,list,watch,create,patch,delete configmaps istio-system",
                "fathom-agent get,patch secrets istio-system/fathom-agent-state",
                "fathom-agent get,list,watch endpointslices.discovery.k8s.io istio-system",
            })
    void whatAProgramDoes_isAllowed(String line) {
        assertThat(allowed(line)).as(line).doesNotContainValue(false);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "istiod create,update,patch,delete secrets shop",
                "istiod update,patch,delete secrets istio-system/other",
                "istiod delete secrets istio-system/istio-ca-secret",
                "istiod create,update,patch,delete pods shop",
                "istiod create pods/exec istio-system",
                "istiod get pods/log shop",
                "istiod create serviceaccounts/token shop",
                "istiod update,patch,delete configmaps shop/other",
                "istiod update,patch,delete nodes -",
                "istiod-canary update,delete nodes -",
                "istiod create,update,patch,delete namespaces -",
                "istiod create,update,patch,delete,bind,escalate clusterroles.rbac.authorization.k8s.io -",
                "istiod create,update,patch,delete,bind,escalate roles.rbac.authorization.k8s.io istio-system",
                "istiod impersonate users -",
                "istiod impersonate serviceaccounts shop",
                "istiod create,patch,delete daemonsets.apps shop",
                "istiod create,patch,delete validatingwebhookconfigurations.admissionregistration.k8s.io -/other",
                "istiod create,update,patch,delete mutatingwebhookconfigurations.admissionregistration.k8s.io -",
                "istiod create,update,patch,delete customresourcedefinitions.apiextensions.k8s.io -",
                "istiod create,update,patch,delete authorizationpolicies.security.istio.io shop",
                "istiod create,update,patch,delete serviceentries.networking.istio.io shop",
                "istiod create,update,patch,delete virtualservices.networking.istio.io shop",
                "istiod create,update,delete gateways.gateway.networking.k8s.io shop",
                "istiod update,delete gatewayclasses.gateway.networking.k8s.io -/istio",
                "istiod get,create,patch leases.coordination.k8s.io kube-system",
                "istiod approve certificatesigningrequests.certificates.k8s.io -",
                "istiod-ca-helper list,watch,update,delete secrets istio-system/cacerts",
                "istiod-ca-helper get,patch secrets istio-system/istio-ca-secret",
                "istiod-ca-helper get,create secrets shop",
                "istiod-ca-helper get,list pods istio-system",
                "istiod-ca-helper create tokenreviews.authentication.k8s.io -",
                "istio-cni get,list,watch secrets istio-system",
                "istio-cni get,list configmaps istio-system",
                "istio-cni create,update,patch,delete pods shop",
                "istio-cni create pods/exec shop",
                "istio-cni list,watch,update,patch,delete nodes -",
                "istio-cni get,update,patch,delete daemonsets.apps istio-system/ztunnel",
                "istio-cni update,patch,delete daemonsets.apps istio-system/istio-cni-node",
                "istio-cni create tokenreviews.authentication.k8s.io -",
                "fathom-fleet delete fleetclusters.fleet.fathom.io istio-system",
                "fathom-fleet get,list,watch fleetclusters.fleet.fathom.io shop",
                "fathom-fleet list,watch,update,patch,delete secrets istio-system",
                "fathom-fleet get secrets istio-system/other",
                "fathom-fleet get configmaps istio-system/other",
                "fathom-fleet get,list,watch pods istio-system",
                "fathom-fleet get,list,watch,create,patch,delete gateways.gateway.networking.k8s.io istio-eastwest",
                "fathom-fleet create tokenreviews.authentication.k8s.io -",
                "fathom-agent get,list,watch secrets istio-system",
                "fathom-agent get secrets istio-system/other",
                "fathom-agent get secrets istio-eastwest",
                "fathom-agent delete secrets istio-system/fathom-agent-state",
                "fathom-agent get,create,patch,delete gateways.gateway.networking.k8s.io shop",
                "fathom-agent get,list,watch services shop",
                "fathom-agent get,list,watch endpointslices.discovery.k8s.io shop",
                "fathom-agent get,list,watch services istio-system",
                "fathom-agent get,list,watch,create,patch,delete configmaps istio-eastwest",
                "fathom-agent get,list,watch pods -",
                "fathom-agent update,patch,delete nodes -",
                "fathom-agent create,patch,delete services istio-eastwest",
                "fathom-agent create tokenreviews.authentication.k8s.io -",
                "ztunnel get,list,watch pods -",
                "ztunnel get,list,watch secrets istio-system",
                "ztunnel get,list configmaps istio-system",
                "ztunnel create tokenreviews.authentication.k8s.io -",
            })
    void whatNoProgramDoes_isForbidden(String line) {
        assertThat(allowed(line)).as(line).doesNotContainValue(true);
    }

    /// For each verb of a line whether it is allowed.
    private static Map<String, Boolean> allowed(String line) {
        var words = line.split(" ", -1);
        var dot = words[2].indexOf('.');
        var slash = words[2].indexOf('/');
        var resource = words[2].split("[./]", -1)[0];
        var group = dot < 0 ? "" : words[2].substring(dot + 1).replaceAll("/.*", "");
        var place = words[3].split("/", -1);
        var answers = new HashMap<String, Boolean>();
        for (var verb : words[1].split(",", -1)) {
            var attributes = new HashMap<String, Object>(Map.of("verb", verb, "resource", resource, "group", group));
            attributes.put("subresource", slash < 0 ? "" : words[2].substring(slash + 1));
            attributes.put("namespace", place[0].equals("-") ? "" : place[0]);
            attributes.put("name", place.length > 1 ? place[1] : "");
            answers.put(verb, ask(words[0], attributes));
        }
        return answers;
    }

    private static boolean ask(String account, Map<String, Object> attributes) {
        var spec = Map.of(
                "user",
                "system:serviceaccount:istio-system:" + account,
                "groups",
                List.of("system:serviceaccounts", "system:serviceaccounts:istio-system", "system:authenticated"),
                "resourceAttributes",
                attributes);
        var review =
                Json.of(Map.of("apiVersion", "authorization.k8s.io/v1", "kind", "SubjectAccessReview", "spec", spec));
        return Objects.requireNonNull(client)
                .create(REVIEWS, "", review)
                .root()
                .at("status")
                .at("allowed")
                .flag();
    }
}
