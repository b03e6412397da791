// SPDX-License-Identifier: Apache-2.0
/// Installs a mesh into a cluster, changes it, looks whether it is well and takes it away: `fathomctl install` and its
/// siblings. Entry: [InstallCommands]. Objects come from the charts, by the program `helm`
/// (docs/adr/0012-helm-renders-the-charts.md); everything else is asked of the API server. One thread, blocking.
@NullMarked
package io.fathom.tools.install;

import org.jspecify.annotations.NullMarked;
