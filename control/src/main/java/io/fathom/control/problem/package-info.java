// SPDX-License-Identifier: Apache-2.0
/// What is not as the author of an object meant: rows that tables of problems are made of. Entry class:
/// [ObjectProblem]. Does not know who finds problems, nor who shows them.
@NullMarked
package io.fathom.control.problem;

import org.jspecify.annotations.NullMarked;
