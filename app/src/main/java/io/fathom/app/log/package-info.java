// SPDX-License-Identifier: Apache-2.0
/// How the programs log.
@NullMarked
package io.fathom.app.log;

import org.jspecify.annotations.NullMarked;
