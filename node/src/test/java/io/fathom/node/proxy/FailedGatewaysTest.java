// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailedGatewaysTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the clock may run over

    @Test
    void whenAGatewayFails_thenItIsRememberedForAWhile_andForgotten() {
        var gateways = new FailedGateways(nanos::get);
        assertThat(gateways.now()).isEmpty();

        gateways.failed("one");
        nanos.addAndGet(FailedGateways.REMEMBERED.toNanos() - 1);
        gateways.failed("two");
        assertThat(gateways.now()).containsExactlyInAnyOrder("one", "two");

        nanos.addAndGet(1);
        assertThat(gateways.now()).containsExactly("two");
        nanos.addAndGet(FailedGateways.REMEMBERED.toNanos());
        assertThat(gateways.now()).isEmpty();
    }

    @Test
    void whenItFailsAgain_thenItIsLeftAloneForLonger_untilItWorks() {
        var gateways = new FailedGateways(nanos::get);
        for (int times : new int[] {1, 2, 3, 3}) {
            gateways.failed("one");
            gateways.failed("one"); // another call at the same time
            nanos.addAndGet(times * FailedGateways.REMEMBERED.toNanos() - 1);
            assertThat(gateways.now()).containsExactly("one");
            nanos.addAndGet(1);
            assertThat(gateways.now()).isEmpty();
        }
        gateways.worked("one");
        gateways.failed("one");
        nanos.addAndGet(FailedGateways.REMEMBERED.toNanos());
        assertThat(gateways.now()).isEmpty();
    }
}
