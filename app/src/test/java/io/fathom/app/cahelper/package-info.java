// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.fathom.app.cahelper;

import org.jspecify.annotations.NullMarked;
