// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.core.v3.RuntimeFractionalPercent;
import io.envoyproxy.envoy.type.v3.FractionalPercent;
import io.envoyproxy.envoy.type.v3.FractionalPercent.DenominatorType;

/// Parts of all requests, as finely as Envoy knows them.
final class Fractions {
    private static final long MILLION = 1_000_000;

    private Fractions() {}

    static FractionalPercent ofPercent(double percent) {
        return perMillion(Math.round(percent * 10_000));
    }

    /// More than the whole is the whole.
    static FractionalPercent of(int numerator, int denominator) {
        return perMillion(Math.min(MILLION, numerator * MILLION / denominator));
    }

    private static FractionalPercent perMillion(long count) {
        return FractionalPercent.newBuilder()
                .setNumerator((int) count)
                .setDenominator(DenominatorType.MILLION)
                .build();
    }

    static RuntimeFractionalPercent fixed(FractionalPercent fraction) {
        return RuntimeFractionalPercent.newBuilder().setDefaultValue(fraction).build();
    }
}
