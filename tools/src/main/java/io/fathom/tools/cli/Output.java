// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

/// How a command prints.
enum Output {
    TABLE,
    JSON
}
