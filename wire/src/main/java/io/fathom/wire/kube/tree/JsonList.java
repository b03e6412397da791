// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/// Objects as an API server sends them, read one by one: a long list never is one tree. What Kubernetes notes for
/// itself (`managedFields`) is left out. For one thread at a time.
public final class JsonList {
    /// Takes the items of a list.
    @FunctionalInterface
    public interface Items {
        /// One item, as soon as it has come.
        ///
        /// @param soFar the other members that were before
        void item(Map<String, Tree> soFar, Tree item);
    }

    private JsonList() {}

    /// Hands over the items of a list and returns the rest of it.
    ///
    /// @throws MisreadException when it is no JSON object
    public static Tree read(String name, InputStream in, Items items) throws IOException {
        return JsonParsing.lean(name, Limits.DEFAULT).list(in, items);
    }

    /// The one object that the bytes hold.
    ///
    /// @throws MisreadException when they are not JSON
    public static Tree readOne(String name, byte[] bytes, int offset, int length) {
        return JsonParsing.lean(name, Limits.DEFAULT).object(bytes, offset, length);
    }
}
