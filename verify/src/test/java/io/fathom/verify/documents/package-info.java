// SPDX-License-Identifier: Apache-2.0
/// The documents of this repository as tests read them: what their fenced blocks are, where their links lead. Entry:
/// [io.fathom.verify.documents.Documents]. Knows nothing about the programs.
@NullMarked
package io.fathom.verify.documents;

import org.jspecify.annotations.NullMarked;
