// SPDX-License-Identifier: Apache-2.0
/// A folder of manifests as a source of objects: watched, merged by object, and patient with mistakes.
///
/// Entry: [io.fathom.wire.kube.folder.FolderSource], which has one thread of its own; everything else here runs on it.
/// Knows nothing about what the objects mean.
@NullMarked
package io.fathom.wire.kube.folder;

import org.jspecify.annotations.NullMarked;
