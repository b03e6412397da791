// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UInt32Value;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.ServiceWaypoints;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import io.fathom.wire.proto.security.Authorization;
import io.fathom.wire.proto.workload.Address;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressCodecTest {
    @Test
    void givenWorkload_thenResourceIsFoundByAddressServiceAndNode() {
        var resource = AddressCodec.resource(workload("Kubernetes//Pod/app/a", "net-1", "10.0.0.1", "fd00::1"));

        assertThat(resource.name()).isEqualTo("Kubernetes//Pod/app/a");
        assertThat(resource.aliases()).containsExactly("net-1/10.0.0.1", "net-1/fd00::1");
        assertThat(resource.links()).containsExactlyInAnyOrder("app/web.app.svc.cluster.local", "node-a");
        assertThat(AddressCodec.decode(resource.body()))
                .isEqualTo(workload("Kubernetes//Pod/app/a", "net-1", "10.0.0.1", "fd00::1"));
    }

    @Test
    void givenNoNetwork_thenAliasStartsWithSlash() {
        assertThat(AddressCodec.resource(workload("//Pod/ns/name", "", "10.0.0.1"))
                        .aliases())
                .containsExactly("/10.0.0.1");
    }

    @Test
    void givenServiceWithRange_thenAliasHasLengthAndBaseAddressLeadsToIt() {
        var resource = AddressCodec.resource(service("net/10.1.0.0/24", "net/10.2.0.1/32"));

        assertThat(resource.name()).isEqualTo("app/web.app.svc.cluster.local");
        assertThat(resource.aliases()).containsExactly("net/10.1.0.0/24", "net/10.2.0.1");
        assertThat(resource.links()).containsExactly("net/10.1.0.0");
    }

    @Test
    void givenEqualValues_thenEqualVersion() {
        var one = AddressCodec.resource(workload("uid", "", "10.0.0.1"));
        var two = AddressCodec.resource(workload("uid", "", "10.0.0.1"));
        var other = AddressCodec.resource(workload("uid", "", "10.0.0.2"));

        assertThat(one.version()).isEqualTo(two.version()).matches("[1-9a-f][0-9a-f]{0,15}");
        assertThat(one.version()).isEqualTo(Long.toHexString(ContentHash.of(one.body())));
        assertThat(other.version()).isNotEqualTo(one.version());
    }

    @Test
    void givenAHairpin_thenItIsAnExtensionAtItsPlace_andAllElseIsAsWithout() throws InvalidProtocolBufferException {
        var asking = Workload.Hairpin.YES;
        var without = Address.parseFrom(AddressCodec.encode(workload("uid", "", "10.0.0.1")));
        var with = AddressCodec.encode(workload(asking, "uid", "", "10.0.0.1"));

        var bytes = HexFormat.of().formatHex(with);
        assertThat(bytes)
                .contains(
                        "d20140" // field 26, then a name and a type
                                + "0a11" + hex("io.fathom.hairpin")
                                + "122b0a29" + hex("type.googleapis.com/google.protobuf.Empty"));
        var message = Address.parseFrom(with).toBuilder();
        assertThat(message.getWorkload().getExtensionsList()).hasSize(1);
        message.getWorkloadBuilder().clearExtensions();
        assertThat(message.build()).isEqualTo(without);
        assertThat(AddressCodec.decode(with)).isEqualTo(workload(asking, "uid", "", "10.0.0.1"));
    }

    @Test
    void givenExtensionsOfOthers_whenDecoded_thenTheyArePassedOver() {
        var message = Address.newBuilder();
        message.getWorkloadBuilder().setUid("uid").addExtensionsBuilder().setName("example.com/other");

        assertThat(((Workload) AddressCodec.decode(message.build().toByteArray())).hairpin())
                .isEqualTo(Workload.Hairpin.NO);
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void givenMessagesThatMeanNothing_whenDecoded_thenProblemSaysWhat() {
        var badIp = Address.newBuilder();
        badIp.getWorkloadBuilder().addAddresses(com.google.protobuf.ByteString.copyFrom(new byte[5]));
        var badEnum = Address.newBuilder();
        badEnum.getServiceBuilder().setIpFamiliesValue(9);

        assertThatThrownBy(() -> AddressCodec.decode(new byte[0]))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("neither workload nor service");
        assertThatThrownBy(() -> AddressCodec.decode(badIp.build().toByteArray()))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("5 bytes");
        assertThatThrownBy(() -> AddressCodec.decode(badEnum.build().toByteArray()))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("ip_families");
    }

    @Test
    void thenModelEnumsStandInTheOrderOfTheWire() {
        assertThat(names(Workload.TunnelProtocol.values()))
                .isEqualTo(known(io.fathom.wire.proto.workload.TunnelProtocol.values()));
        assertThat(names(Workload.Type.values())).isEqualTo(known(io.fathom.wire.proto.workload.WorkloadType.values()));
        assertThat(names(Workload.Health.values()))
                .isEqualTo(known(io.fathom.wire.proto.workload.WorkloadStatus.values()));
        assertThat(names(Workload.NetworkMode.values()))
                .isEqualTo(known(io.fathom.wire.proto.workload.NetworkMode.values()));
        assertThat(names(Workload.ApplicationTunnel.Protocol.values()))
                .isEqualTo(known(io.fathom.wire.proto.workload.ApplicationTunnel.Protocol.values()));
        assertThat(names(io.fathom.model.mesh.AppProtocol.values()))
                .isEqualTo(known(io.fathom.wire.proto.workload.AppProtocol.values()));
        assertThat(names(Service.IpFamilies.values()))
                .isEqualTo(known(io.fathom.wire.proto.workload.IPFamilies.values()));
        assertThat(names(Service.Visibility.values()))
                .isEqualTo(known(io.fathom.wire.proto.workload.Service.Visibility.values()));
        assertThat(names(LoadBalancing.HealthPolicy.values()))
                .isEqualTo(known(io.fathom.wire.proto.workload.LoadBalancing.HealthPolicy.values()));
        assertThat(tail(names(LoadBalancing.Scope.values())))
                .isEqualTo(tail(known(io.fathom.wire.proto.workload.LoadBalancing.Scope.values())));
        assertThat(tail(names(LoadBalancing.Mode.values())))
                .isEqualTo(tail(known(io.fathom.wire.proto.workload.LoadBalancing.Mode.values())));
        assertThat(names(io.fathom.model.policy.Authorization.Scope.values()))
                .isEqualTo(known(io.fathom.wire.proto.security.Scope.values()));
        assertThat(names(io.fathom.model.policy.Authorization.Action.values()))
                .isEqualTo(known(io.fathom.wire.proto.security.Action.values()));
    }

    @Test
    void thenJsonNamesAreUpstreams() {
        var names = new HashSet<String>();
        jsonNames(Address.getDescriptor(), names, new HashSet<>());
        jsonNames(Authorization.getDescriptor(), names, new HashSet<>());

        assertThat(names)
                .contains(
                        "workload",
                        "service",
                        "uid",
                        "name",
                        "namespace",
                        "addresses",
                        "hostname",
                        "network",
                        "tunnelProtocol",
                        "nativeTunnel",
                        "trustDomain",
                        "serviceAccount",
                        "waypoint",
                        "networkGateway",
                        "node",
                        "canonicalName",
                        "canonicalRevision",
                        "workloadType",
                        "workloadName",
                        "authorizationPolicies",
                        "status",
                        "clusterId",
                        "services",
                        "ports",
                        "applicationTunnel",
                        "locality",
                        "region",
                        "zone",
                        "subzone",
                        "networkMode",
                        "capacity",
                        "servicePort",
                        "targetPort",
                        "appProtocol",
                        "hboneMtlsPort",
                        "address",
                        "length",
                        "subjectAltNames",
                        "loadBalancing",
                        "routingPreference",
                        "mode",
                        "healthPolicy",
                        "ipFamilies",
                        "canonical",
                        "ingressUseWaypoint",
                        "weightedWaypoints",
                        "weight",
                        "destination",
                        "visibility",
                        "scope",
                        "action",
                        "groups",
                        "rules",
                        "matches",
                        "dryRun",
                        "namespaces",
                        "notNamespaces",
                        "principals",
                        "notPrincipals",
                        "sourceIps",
                        "notSourceIps",
                        "destinationIps",
                        "notDestinationIps",
                        "destinationPorts",
                        "notDestinationPorts",
                        "serviceAccounts",
                        "notServiceAccounts",
                        "exact",
                        "prefix",
                        "suffix",
                        "presence");
        assertThat(io.fathom.wire.proto.workload.Workload.getDescriptor()
                        .findFieldByName("capacity")
                        .getMessageType())
                .isEqualTo(UInt32Value.getDescriptor());
    }

    private static void jsonNames(Descriptor type, Set<String> names, Set<Descriptor> seen) {
        if (seen.add(type)) {
            for (FieldDescriptor field : type.getFields()) {
                names.add(field.getJsonName());
                if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                    jsonNames(field.getMessageType(), names, seen);
                }
            }
        }
    }

    private static List<String> names(Enum<?>[] values) {
        return List.of(values).stream().map(Enum::name).toList();
    }

    private static List<String> known(Enum<?>[] values) {
        return names(values).stream()
                .filter(name -> !name.equals("UNRECOGNIZED"))
                .toList();
    }

    /// The first value is called unspecified in both, but not in the same words.
    private static List<String> tail(List<String> names) {
        return names.subList(1, names.size());
    }

    private static Service service(String... addresses) {
        return new Service(
                "web",
                "app",
                "web.app.svc.cluster.local",
                List.of(addresses).stream()
                        .map(text -> text.split("/", 2))
                        .map(parts -> new NetworkAddress(
                                parts[0], IpBlock.parse(parts[1]).orElseThrow()))
                        .toList(),
                List.of(),
                List.of(),
                ServiceWaypoints.NONE,
                LoadBalancing.NONE,
                Service.IpFamilies.AUTOMATIC,
                Service.Canonical.YES,
                Service.Visibility.PUBLIC);
    }

    private static Workload workload(String uid, String network, String... ips) {
        return workload(Workload.Hairpin.NO, uid, network, ips);
    }

    private static Workload workload(Workload.Hairpin hairpin, String uid, String network, String... ips) {
        return new Workload(
                uid,
                "a",
                "app",
                new WorkloadNetwork(
                        network,
                        List.of(ips).stream()
                                .map(ip -> Ip.parse(ip).orElseThrow())
                                .toList(),
                        "",
                        Workload.NetworkMode.STANDARD),
                WorkloadTunnel.of(Workload.TunnelProtocol.HBONE),
                new WorkloadSecurity("", "default", List.of("app/allow")),
                new WorkloadGateways(Optional.empty(), hairpin, Optional.empty()),
                new WorkloadPlace("Kubernetes", "node-a", new Locality("eu", "eu-1", "")),
                new CanonicalService("a", "latest"),
                new WorkloadOwner(Workload.Type.POD, "a"),
                Workload.Health.HEALTHY,
                new ServiceMembership(Map.of("app/web.app.svc.cluster.local", List.of()), 0));
    }
}
