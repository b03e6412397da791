// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.xds.store.XdsResource;
import java.util.ArrayList;
import java.util.List;

/// Workloads and services to and from resources of the Address type. Equal values give equal bytes. Thread-safe.
public final class AddressCodec {
    private AddressCodec() {}

    public static byte[] encode(Address address) {
        return switch (address) {
            case Workload workload -> AddressWriter.write(workload);
            case Service service -> AddressWriter.write(service);
        };
    }

    /// Whoever asks for the name or an alias gets the resource. Whoever holds a service of a workload, or runs on its
    /// node, follows the workload.
    public static XdsResource resource(Address address) {
        var body = encode(address);
        var links = switch (address) {
            case Workload workload -> links(workload);
            case Service service -> links(service);
        };
        return XdsResource.of(address.resourceName(), ContentHash.of(body), body, address.aliases(), links);
    }

    private static List<String> links(Workload workload) {
        var links = new ArrayList<>(workload.services().keySet());
        if (!workload.node().isEmpty()) {
            links.add(workload.node());
        }
        return links;
    }

    /// A range is found by its base address too, though its alias carries the length.
    private static List<String> links(Service service) {
        var links = new ArrayList<String>();
        for (var address : service.addresses()) {
            if (!address.block().isSingleAddress()) {
                links.add(NetworkAddress.of(address.network(), address.block().address())
                        .alias());
            }
        }
        return links;
    }

    /// Reads the bytes of one resource.
    ///
    /// @throws ProblemException when the bytes are not an Address, or name things this model does not know
    public static Address decode(byte[] bytes) {
        try {
            var address = io.fathom.wire.proto.workload.Address.parseFrom(bytes);
            return switch (address.getTypeCase()) {
                case WORKLOAD -> AddressReader.workload(address.getWorkload());
                case SERVICE -> AddressReader.service(address.getService());
                case TYPE_NOT_SET -> throw WireProblem.malformed("an Address", "neither workload nor service");
            };
        } catch (InvalidProtocolBufferException e) {
            throw WireProblem.malformed("an Address", String.valueOf(e.getMessage()));
        }
    }
}
