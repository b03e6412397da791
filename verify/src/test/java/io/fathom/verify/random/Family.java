// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.random;

import com.fasterxml.jackson.databind.node.ObjectNode;

/// One kind of object that comes, changes and goes.
interface Family {
    /// A new object; the number is used for no other object of this family.
    ObjectNode create(int number);

    /// Changes what an API server allows to change.
    void change(ObjectNode object);
}
