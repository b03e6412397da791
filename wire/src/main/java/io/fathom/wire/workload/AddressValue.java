package io.fathom.wire.workload;

import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;

/// What one resource of the Address type stands for.
public sealed interface AddressValue {
    record OfWorkload(Workload workload) implements AddressValue {}

    record OfService(Service service) implements AddressValue {}
}
