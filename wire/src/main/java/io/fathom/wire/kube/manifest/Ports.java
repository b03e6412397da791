// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;

/// What all port fields have in common.
public final class Ports {
    public static final int MOST = 65535;
    private static final Choices<Transport> TRANSPORTS = Choices.of(Transport.class, Transport::name);

    private Ports() {}

    public static int number(Field field) {
        return field.requiredInteger(1, MOST);
    }

    public static Transport transport(Field field) {
        return field.oneOf(TRANSPORTS, Transport.TCP);
    }
}
