// SPDX-License-Identifier: Apache-2.0
/// The programs as people start them: the scripts in bin, in processes of their own.
@NullMarked
package io.fathom.verify.launch;

import org.jspecify.annotations.NullMarked;
