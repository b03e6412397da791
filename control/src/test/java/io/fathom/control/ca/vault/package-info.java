// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.fathom.control.ca.vault;

import org.jspecify.annotations.NullMarked;
