// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// What may stand in a field. Immutable.
sealed interface SchemaType {
    /// Whether an explicit null is as good as a value.
    default boolean isNullable() {
        return false;
    }

    record Any() implements SchemaType {
        @Override
        public boolean isNullable() {
            return true;
        }
    }

    record Flag(boolean isNullable) implements SchemaType {}

    record IntOrText(boolean isNullable) implements SchemaType {}

    /// An amount such as `500m` or `2Gi`.
    record Quantity() implements SchemaType {}

    /// A whole number, or any.
    record Numeric(boolean isNullable, boolean whole, Range range) implements SchemaType {}

    /// Text of some length, out of some choices, of some form.
    ///
    /// @param choices none if anything goes
    record Text(boolean isNullable, Range length, List<String> choices, Optional<Pattern> pattern, Form form)
            implements SchemaType {}

    /// What a text has to be beyond its pattern.
    enum Form {
        ANY,
        TIME,
        BASE64,
        /// At least a millisecond.
        DURATION
    }

    /// A list of such items.
    ///
    /// @param keys fields that tell items apart; each with what it is when absent
    record ListOf(boolean isNullable, Range size, Unique unique, Map<String, String> keys, SchemaType item)
            implements SchemaType {}

    /// Whether items may be equal.
    enum Unique {
        NO,
        /// No two items are equal.
        ITEMS,
        /// No two items have the same keys.
        KEYS
    }

    record MapOf(boolean isNullable, Range size, SchemaType value) implements SchemaType {}

    /// A field of an object.
    record Property(boolean required, SchemaType type) {}

    /// How many of some fields there may be.
    ///
    /// @param least 0 or 1
    /// @param most 1, or any number
    record SchemaGroup(int least, int most, List<String> fields) {}

    /// A field that must be there when others have these values, or have none.
    record Need(String field, Map<String, String> when) {}

    /// An object with fields that are known.
    ///
    /// @param extensible whether others are let through
    /// @param builtIn whether the API server has a type for it, to which null and an empty text are nothing
    record ObjectOf(
            boolean isNullable,
            boolean extensible,
            boolean builtIn,
            Map<String, Property> properties,
            List<SchemaGroup> groups,
            List<Need> needs)
            implements SchemaType {
        ObjectOf nullable() {
            return new ObjectOf(true, extensible, builtIn, properties, groups, needs);
        }
    }
}
