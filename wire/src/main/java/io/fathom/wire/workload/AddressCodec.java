package io.fathom.wire.workload;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.proto.workload.Address;
import io.fathom.wire.xds.XdsResource;
import java.util.ArrayList;
import java.util.List;

/// Workloads and services to and from resources of the Address type. Equal values give equal bytes. Thread-safe.
public final class AddressCodec {
    private AddressCodec() {}

    public static byte[] encode(Workload workload) {
        return AddressWriter.write(workload);
    }

    public static byte[] encode(Service service) {
        return AddressWriter.write(service);
    }

    /// Whoever asks for an address of the workload gets it; whoever holds one of its services, or runs on its node,
    /// follows it.
    public static XdsResource resource(Workload workload) {
        var aliases = new ArrayList<String>(workload.addresses().size());
        for (var ip : workload.addresses()) {
            aliases.add(workload.network() + "/" + ip);
        }
        var links = new ArrayList<>(workload.services().keySet());
        if (!workload.node().isEmpty()) {
            links.add(workload.node());
        }
        var body = encode(workload);
        return XdsResource.of(workload.uid(), ContentHash.of(body), body, aliases, links);
    }

    /// A range is found by its base address too, though its alias carries the length.
    public static XdsResource resource(Service service) {
        var aliases = new ArrayList<String>(service.addresses().size());
        var links = new ArrayList<String>();
        for (var address : service.addresses()) {
            aliases.add(address.alias());
            if (!address.block().isSingleAddress()) {
                links.add(NetworkAddress.of(address.network(), address.block().address())
                        .alias());
            }
        }
        var body = encode(service);
        return XdsResource.of(service.key(), ContentHash.of(body), body, aliases, List.copyOf(links));
    }

    /// Reads the bytes of one resource.
    ///
    /// @throws ProblemException when the bytes are not an Address, or name things this model does not know
    public static AddressValue decode(byte[] bytes) {
        try {
            var address = Address.parseFrom(bytes);
            return switch (address.getTypeCase()) {
                case WORKLOAD -> new AddressValue.OfWorkload(AddressReader.workload(address.getWorkload()));
                case SERVICE -> new AddressValue.OfService(AddressReader.service(address.getService()));
                case TYPE_NOT_SET -> throw WireProblem.malformed("an Address", "neither workload nor service");
            };
        } catch (InvalidProtocolBufferException e) {
            throw WireProblem.malformed("an Address", String.valueOf(e.getMessage()));
        }
    }
}
