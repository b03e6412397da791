// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.fathom.control.ca.helper;

import org.jspecify.annotations.NullMarked;
