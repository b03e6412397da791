// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.debug;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.FileDescriptor;
import io.envoyproxy.envoy.service.discovery.v3.AdsProto;
import io.fathom.wire.proto.ca.CertificateProto;
import io.fathom.wire.proto.security.AuthorizationProto;
import io.fathom.wire.proto.workload.WorkloadProto;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The descriptions of everything that goes over the wire, for tools that know nothing of it: `grpcurl -protoset`.
public final class ProtocolFiles {
    private ProtocolFiles() {}

    /// A serialised `FileDescriptorSet`: the discovery service, our resources, the certificate service,
    /// and all they import.
    public static byte[] descriptorSet() {
        Map<String, FileDescriptor> files = new LinkedHashMap<>();
        List.of(
                        AdsProto.getDescriptor(),
                        WorkloadProto.getDescriptor(),
                        AuthorizationProto.getDescriptor(),
                        CertificateProto.getDescriptor())
                .forEach(file -> add(file, files));
        var set = FileDescriptorSet.newBuilder();
        files.values().forEach(file -> set.addFile(file.toProto()));
        return set.build().toByteArray();
    }

    /// Imports first.
    private static void add(FileDescriptor file, Map<String, FileDescriptor> files) {
        if (!files.containsKey(file.getName())) {
            file.getDependencies().forEach(imported -> add(imported, files));
            files.put(file.getName(), file);
        }
    }
}
