// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.fathom.model.mesh.Address;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whatever the model can say survives the wire, in the very bytes that generated code writes.
class CodecPropertyTest {
    private static final int ROUNDS = 200;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void givenAnyAddress_whenEncodedAndDecoded_thenEqual(long seed) throws IOException {
        var samples = new Samples(seed);
        for (int i = 0; i < ROUNDS; i++) {
            Address address = i % 2 == 0 ? samples.workload() : samples.service();
            var bytes = AddressCodec.encode(address);
            assertThat(AddressCodec.decode(bytes)).isEqualTo(address);
            assertThat(bytes).isEqualTo(canonical(io.fathom.wire.proto.workload.Address.parseFrom(bytes)));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void givenAnyAuthorization_whenEncodedAndDecoded_thenEqual(long seed) throws IOException {
        var samples = new Samples(seed);
        for (int i = 0; i < ROUNDS; i++) {
            var authorization = samples.authorization();
            var bytes = AuthorizationCodec.encode(authorization);
            assertThat(AuthorizationCodec.decode(bytes)).isEqualTo(authorization);
            assertThat(bytes).isEqualTo(canonical(io.fathom.wire.proto.security.Authorization.parseFrom(bytes)));
        }
    }

    private static byte[] canonical(Message message) throws IOException {
        assertThat(message.getUnknownFields().asMap()).isEmpty();
        var bytes = new byte[message.getSerializedSize()];
        var out = CodedOutputStream.newInstance(bytes);
        out.useDeterministicSerialization();
        message.writeTo(out);
        out.checkNoSpaceLeft();
        return bytes;
    }
}
