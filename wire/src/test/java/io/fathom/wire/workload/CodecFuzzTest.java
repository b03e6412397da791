// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.lang.ProblemException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Bytes of a stranger give a value or a clear problem.
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CodecFuzzTest {
    private static final int ROUNDS = 5_000;

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void givenMutatedAddress_whenDecoded_thenValueOrProblem(long seed) {
        var samples = new Samples(seed);
        fuzz(seed, AddressCodec.encode(samples.workload()), AddressCodec::decode);
        fuzz(seed, AddressCodec.encode(samples.service()), AddressCodec::decode);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void givenMutatedAuthorization_whenDecoded_thenValueOrProblem(long seed) {
        fuzz(seed, AuthorizationCodec.encode(new Samples(seed).authorization()), AuthorizationCodec::decode);
    }

    private static void fuzz(long seed, byte[] valid, Consumer<byte[]> decoder) {
        var random = new Random(seed);
        for (int i = 0; i < ROUNDS; i++) {
            var bytes = i % 10 == 0 ? randomBytes(random) : mutated(random, valid);
            try {
                decoder.accept(bytes);
            } catch (ProblemException e) {
                assertThat(e.problem().code()).isEqualTo("workload-api-malformed");
                assertThat(e.problem().message()).contains("cannot be read");
            }
        }
    }

    private static byte[] randomBytes(Random random) {
        var bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] mutated(Random random, byte[] valid) {
        var bytes = Arrays.copyOf(valid, random.nextInt(4) == 0 ? random.nextInt(valid.length + 1) : valid.length);
        for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }
}
