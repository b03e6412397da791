// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.binary;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Those fields of a message that we read, each with its number. Immutable.
final class MessageForm {
    private final @Nullable FieldForm[] byNumber;

    private MessageForm(@Nullable FieldForm[] byNumber) {
        this.byNumber = byNumber;
    }

    static MessageForm of(FieldForm... fields) {
        var highest = Arrays.stream(fields).mapToInt(FieldForm::number).max().orElse(0);
        var byNumber = new @Nullable FieldForm[highest + 1];
        for (var field : fields) {
            byNumber[field.number()] = field;
        }
        return new MessageForm(byNumber);
    }

    /// None where the field is not read.
    @Nullable
    FieldForm field(int number) {
        return number < byNumber.length ? byNumber[number] : null;
    }

    /// One field of a message.
    ///
    /// @param name in JSON
    record FieldForm(int number, String name, Content content, Count count) {
        static FieldForm text(int number, String name) {
            return new FieldForm(number, name, Plain.TEXT, Count.ONE);
        }

        static FieldForm texts(int number, String name) {
            return new FieldForm(number, name, Plain.TEXT, Count.MANY);
        }

        static FieldForm flag(int number, String name) {
            return new FieldForm(number, name, Plain.FLAG, Count.ONE);
        }

        static FieldForm number(int number, String name) {
            return new FieldForm(number, name, Plain.NUMBER, Count.ONE);
        }

        static FieldForm numberOrText(int number, String name) {
            return new FieldForm(number, name, Plain.NUMBER_OR_TEXT, Count.ONE);
        }

        static FieldForm time(int number, String name) {
            return new FieldForm(number, name, Plain.TIME, Count.ONE);
        }

        static FieldForm textMap(int number, String name) {
            return new FieldForm(number, name, Plain.TEXT_MAP, Count.ONE);
        }

        static FieldForm message(int number, String name, MessageForm form) {
            return new FieldForm(number, name, new Nested(form), Count.ONE);
        }

        static FieldForm messages(int number, String name, MessageForm form) {
            return new FieldForm(number, name, new Nested(form), Count.MANY);
        }
    }

    enum Count {
        ONE,
        MANY
    }

    /// What a field holds.
    sealed interface Content {}

    enum Plain implements Content {
        TEXT,
        FLAG,
        NUMBER,
        /// A message of Kubernetes: a port by number or by name.
        NUMBER_OR_TEXT,
        /// A message: seconds and nanoseconds.
        TIME,
        /// Messages, each with a key and a value.
        TEXT_MAP
    }

    record Nested(MessageForm form) implements Content {}
}
