package io.fathom.wire.hbone;

import io.netty.handler.codec.DecoderException;
import java.util.Objects;

/// Words for what Netty throws.
final class Failures {
    private Failures() {}

    /// The message that says most: that of the innermost cause, without class names.
    static String text(Throwable failure) {
        var innermost = failure;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        return Objects.requireNonNullElse(
                innermost.getMessage(), innermost.getClass().getSimpleName());
    }

    /// Without Netty's wrapping.
    static Throwable unwrapped(Throwable failure) {
        return failure instanceof DecoderException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
