// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.tree.Field;

/// Reads ConfigMaps that hold certificates of authorities.
public final class CaBundleReader implements KindReader {
    @Override
    public boolean concerns(Field object) {
        return object.at("data").at("ca.crt").isPresent();
    }

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        return PlainReaders.caBundle(metadata, object, interner);
    }
}
