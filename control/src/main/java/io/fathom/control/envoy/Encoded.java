// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.fathom.wire.xds.store.XdsResource;

/// A resource as bytes, for all groups that share it. Equal when its bytes are.
record Encoded(XdsResource resource) {
    static Encoded of(String name, Message message) {
        return new Encoded(XdsResource.of(name, message));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Encoded(XdsResource that)
                && that.name().equals(resource.name())
                && that.version().equals(resource.version());
    }

    @Override
    public int hashCode() {
        return resource.version().hashCode();
    }
}
