// SPDX-License-Identifier: Apache-2.0
/// The CNI plugin as a program of its own, which runs on hosts without Java: see `bin/lib/plugin-runtime`.
@NullMarked
package io.fathom.app.cni.plugin;

import org.jspecify.annotations.NullMarked;
