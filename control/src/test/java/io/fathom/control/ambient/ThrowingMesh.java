// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Failures;
import io.fathom.control.ambient.input.AmbientConfig;

/// For tests in other packages: a mesh in which a derivation that fails fails the test.
public final class ThrowingMesh {
    private ThrowingMesh() {}

    public static AmbientMesh create() {
        return new AmbientMesh(AmbientConfig.defaults(), Failures.rethrown());
    }
}
