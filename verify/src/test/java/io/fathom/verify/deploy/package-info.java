// SPDX-License-Identifier: Apache-2.0
/// Charts, images and the commands that install them, with the real helm and a real API server.
@NullMarked
package io.fathom.verify.deploy;

import org.jspecify.annotations.NullMarked;
