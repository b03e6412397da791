// SPDX-License-Identifier: Apache-2.0
/// Modules from registries and web servers. The entry is [io.fathom.wire.oci.ModuleDownload]; calls block, on any
/// thread. Nothing here knows what a module is for.
@NullMarked
package io.fathom.wire.oci;

import org.jspecify.annotations.NullMarked;
