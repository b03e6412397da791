// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import io.fathom.wire.kube.tree.Field;

/// Reads ConfigMaps that hold certificates of authorities.
final class CaBundleReader implements KindReader {
    @Override
    public boolean concerns(Field object) {
        return object.at("data").at("ca.crt").isPresent();
    }

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        return PlainReaders.caBundle(metadata, object, interner);
    }
}
