// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.state;

import static io.fathom.node.state.LocalMeshTest.dump;
import static io.fathom.node.state.LocalMeshTest.view;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/// The shape that istioctl reads, field by field (section 18 and case 109 of the fact sheet).
class DumpWriterTest {
    @Test
    void givenAWorkloadWithDefaults_thenOnlyWhatUpstreamAlwaysWrites() throws IOException {
        assertThat(dump(view(LocalMesh.parse("t", "workloads: [{name: a, namespace: b, uid: u}]"))))
                .isEqualTo("""
                {"workloads":[{"workloadIps":[],"addresses":[],"identity":"spiffe://cluster.local/ns/b/sa/default","protocol":"TCP","networkMode":"Standard","uid":"u","name":"a",\
                "namespace":"b","trustDomain":"cluster.local","serviceAccount":"default","status":"Healthy",\
                "clusterId":"Kubernetes","capacity":1}],"services":[],"policies":[],"stagedServices":{}}""");
    }

    @Test
    void givenEveryField_thenUpstreamsWords() throws IOException {
        var dump = dump(view(LocalMesh.parse("t", LocalMeshTest.EVERYTHING)));
        assertThat(dump).contains("""
                {"workloadIps":["127.0.0.2","::2"],"addresses":["127.0.0.2","::2"],\
                "identity":"spiffe://td/ns/default/sa/sa",\
                "waypoint":{"destination":"defaultnw/127.0.0.10","hboneMtlsPort":15008},\
                "networkGateway":{"destination":"gateways/east.example.com","hboneMtlsPort":15009},\
                "protocol":"HBONE","networkMode":"HostNetwork","uid":"cluster1//v1/Pod/default/local","name":"local",\
                "namespace":"default","trustDomain":"td","serviceAccount":"sa","network":"defaultnw",\
                "workloadName":"local-deployment","workloadType":"job","canonicalName":"local-app",\
                "canonicalRevision":"v2","hostname":"host","node":"local-node","nativeTunnel":true,\
                "applicationTunnel":{"protocol":"PROXY","port":15088},\
                "authorizationPolicies":["default/deny-9999"],"status":"Unhealthy","clusterId":"c1",\
                "locality":{"region":"r","zone":"z","subzone":"s"},"services":["default/example.com"],"capacity":7}""");
        assertThat(dump).contains("""
                {"name":"local","namespace":"default","hostname":"example.com","vips":["/127.10.0.1","net2/::1"],\
                "cidrVips":[{"network":"net3","cidr":"10.0.0.0/8"}],"ports":{"80":8080,"443":0},"endpoints":{\
                "Kubernetes//Pod/default/plain":{"workloadUid":"Kubernetes//Pod/default/plain","port":{"80":9090},\
                "status":"Healthy"},"cluster1//v1/Pod/default/local":{\
                "workloadUid":"cluster1//v1/Pod/default/local","port":{"80":8080},"status":"Unhealthy"}},\
                "subjectAltNames":["spiffe://td/ns/default/sa/x"],\
                "waypoint":{"destination":"/10.1.1.1","hboneMtlsPort":15008},\
                "weightedWaypoints":[{"destination":{"destination":"ns/one.com","hboneMtlsPort":15008},"weight":75}],\
                "loadBalancer":{"routingPreferences":["Network","Region","Zone"],"mode":"Failover",\
                "healthPolicy":"AllowAll"},"ipFamilies":"IPv4","canonical":true,"visibility":"Namespace"}""");
        assertThat(dump).contains("""
                {"name":"deny-9999","namespace":"default","scope":"WorkloadSelector","action":"Deny","rules":[[[\
                {"namespaces":[{"Exact":"a"},{"Prefix":"b"},{"Suffix":"c"},{"Presence":[]}],\
                "principals":[{"Exact":"td/ns/a/sa/b"}],"sourceIps":["10.0.0.0/8","fd00::/8"],\
                "destinationPorts":[9999],"notDestinationPorts":[1],\
                "notServiceAccounts":[{"namespace":"n","serviceAccount":"s"}]},\
                {"notSourceIps":["1.2.3.4/32"]}]],[]],"dryRun":true}""");
        assertThat(dump).contains("""
                "stagedServices":{"default/unknown.com":{"Kubernetes//Pod/default/plain":\
                {"workloadUid":"Kubernetes//Pod/default/plain","port":{},"status":"Healthy"}}}""");
    }
}
