// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.pod;

import io.fathom.base.lang.ProblemException;
import java.nio.file.Path;

/// Puts a pod into the mesh before anything in it runs.
interface Enrolment {
    /// Returns when the traffic of the pod is captured.
    ///
    /// @throws ProblemException when it is not; then nothing may be started in the pod
    void enrol(String node, String namespace, String pod, Path networkNamespace, String ip);
}
