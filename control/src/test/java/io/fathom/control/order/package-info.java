// SPDX-License-Identifier: Apache-2.0
/// Plays proxies that answer when a test says so.
@NullMarked
package io.fathom.control.order;

import org.jspecify.annotations.NullMarked;
