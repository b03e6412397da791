// SPDX-License-Identifier: Apache-2.0
/// Services of the Workload API, from Services and ServiceEntries, and who is behind them.
///
/// Entry: [io.fathom.control.ambient.service.KubeServices], [io.fathom.control.ambient.service.EntryServices]. Runs on
/// the flow's writer. Knows nothing about workloads of the Workload API.
@NullMarked
package io.fathom.control.ambient.service;

import org.jspecify.annotations.NullMarked;
