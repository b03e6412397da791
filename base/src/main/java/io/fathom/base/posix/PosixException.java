// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import io.fathom.base.lang.Problem;
import java.io.IOException;

/// A system call failed. The message names the call, what it was about, the reason, and what is missing if that is
/// known.
public final class PosixException extends IOException {
    private final String text;
    private final int errno;
    private final String hint;

    PosixException(String call, String about, int errno) {
        this(call, about, errno, "");
    }

    PosixException(String call, String about, int errno, String hint) {
        this(text(call, about, errno), errno, hint);
    }

    private PosixException(String text, int errno, String hint) {
        super(hint.isEmpty() ? text : text + "; " + hint);
        this.text = text;
        this.errno = errno;
        this.hint = hint;
    }

    private static String text(String call, String about, int errno) {
        return (about.isEmpty() ? call : call + " " + about) + ": " + Errno.text(errno);
    }

    public int errno() {
        return errno;
    }

    /// Whether the caller lacks a capability.
    public boolean isDenied() {
        return errno == Errno.EPERM;
    }

    /// Whether it took longer than the socket's timeout.
    public boolean isTimeout() {
        return errno == Errno.EAGAIN;
    }

    /// The same as an expected failure; worth another try unless it is a matter of permission.
    public Problem problem(String code) {
        return new Problem(
                code, text, hint, Problem.Origin.SERVER, isDenied() ? Problem.Retry.POINTLESS : Problem.Retry.SENSIBLE);
    }
}
