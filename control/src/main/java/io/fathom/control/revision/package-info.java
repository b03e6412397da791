// SPDX-License-Identifier: Apache-2.0
/// Which control plane is meant: revisions, and the tags that stand for them. Entry class: [RevisionTags].
@NullMarked
package io.fathom.control.revision;

import org.jspecify.annotations.NullMarked;
