// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.xds.store.XdsResource;
import java.util.List;

/// Policies to and from resources of the Authorization type. Equal values give equal bytes. Thread-safe.
public final class AuthorizationCodec {
    private AuthorizationCodec() {}

    public static byte[] encode(Authorization authorization) {
        return AuthorizationWriter.write(authorization);
    }

    public static XdsResource resource(Authorization authorization) {
        var body = encode(authorization);
        return XdsResource.of(authorization.key(), ContentHash.of(body), body, List.of(), List.of());
    }

    /// Reads the bytes of one resource.
    ///
    /// @throws ProblemException when the bytes are not an Authorization, or name things this model does not know
    public static Authorization decode(byte[] bytes) {
        try {
            return AuthorizationReader.authorization(io.fathom.wire.proto.security.Authorization.parseFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            throw WireProblem.malformed("an Authorization", String.valueOf(e.getMessage()));
        }
    }
}
