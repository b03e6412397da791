// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.IpPort;
import io.fathom.wire.tls.TlsPeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConnectionLedgerTest {
    private final ConnectionLedger ledger = new ConnectionLedger();
    private final List<CloseReason> cuts = new ArrayList<>();

    private OpenConnection connection() {
        var at = IpPort.parse("10.0.0.1:1").orElseThrow();
        var shown = new OpenConnection.Shown(
                OpenConnection.Direction.OUTBOUND, at, Optional.empty(), at, OpenConnection.Protocol.TCP);
        return OpenConnection.outbound(shown, TlsPeer.NONE, cuts::add);
    }

    /// Case 43.
    @Test
    void givenTwoConnectionsThatLookTheSame_whenOneEnds_thenTheOtherStaysAndCloseCutsIt() {
        var one = connection();
        assertThat(ledger.add(one)).isTrue();
        assertThat(ledger.add(connection())).isTrue();
        assertThat(ledger.size()).isEqualTo(2);
        ledger.remove(one);
        assertThat(ledger.shown()).hasSize(1);
        ledger.close();
        assertThat(cuts).containsExactly(CloseReason.DRAINED);
    }

    @Test
    void givenAClosedLedger_whenAConnectionComesLate_thenItMustNotBe() {
        ledger.close();
        assertThat(ledger.add(connection())).isFalse();
        assertThat(ledger.size()).isZero();
    }

    @Test
    void givenAClientThatIsStillBeingDialledFor_whenDraining_thenItIsWaitedFor() {
        ledger.arrived();
        var drained = ledger.drained();
        assertThat(drained).isNotDone();
        var open = connection();
        assertThat(ledger.add(open)).isTrue();
        ledger.left();
        assertThat(drained).isNotDone();
        ledger.remove(open);
        assertThat(drained).isCompleted();
    }

    @Test
    void givenNothing_whenDraining_thenItIsOverAtOnce() {
        assertThat(ledger.drained()).isCompleted();
    }
}
