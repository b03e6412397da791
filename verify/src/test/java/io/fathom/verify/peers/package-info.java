// SPDX-License-Identifier: Apache-2.0
/// Programs not written by us that tests run beside ours: an API server, upstream's control plane, command line tools.
///
/// Entry: [io.fathom.verify.peers.StockProgram]; `verify/peers/install` builds them. Everything they start or write
/// goes away with the test, and what a killed test left behind goes with the next one.
@NullMarked
package io.fathom.verify.peers;

import org.jspecify.annotations.NullMarked;
