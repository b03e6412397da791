// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.posix;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Collections;

/// The C library. Each call captures errno in memory of its own, so any thread
/// may call; EINTR is tried again.
final class Libc {
    static final int O_RDONLY_CLOEXEC = 0x80000;

    private static final int MOST_ARGUMENTS = 5;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /// One handle for all functions: linking one costs some 10 ms of start-up for each shape of arguments. Registers
    /// that a function does not look at may hold anything, also for those with a variable number of arguments.
    private static final MethodHandle FUNCTION = linked();

    static final MemorySegment OPEN = function("open");
    static final MemorySegment CLOSE = function("close");
    static final MemorySegment FCNTL = function("fcntl");
    static final MemorySegment IOCTL = function("ioctl");
    static final MemorySegment FSTAT = function("fstat");
    static final MemorySegment SETNS = function("setns");
    static final MemorySegment SOCKET = function("socket");
    static final MemorySegment SOCKETPAIR = function("socketpair");
    static final MemorySegment CONNECT = function("connect");
    static final MemorySegment BIND = function("bind");
    static final MemorySegment LISTEN = function("listen");
    static final MemorySegment ACCEPT = function("accept4");
    static final MemorySegment SHUTDOWN = function("shutdown");
    static final MemorySegment SENDMSG = function("sendmsg");
    static final MemorySegment RECVMSG = function("recvmsg");
    static final MemorySegment SETSOCKOPT = function("setsockopt");
    static final MemorySegment GETSOCKOPT = function("getsockopt");
    static final MemorySegment MADVISE = function("madvise");
    static final MemorySegment GETRLIMIT = function("getrlimit");
    static final MemorySegment SETRLIMIT = function("setrlimit");

    private Libc() {}

    @SuppressWarnings("restricted") // this package is where native access is allowed
    private static MethodHandle linked() {
        var arguments = Collections.nCopies(MOST_ARGUMENTS, JAVA_LONG).toArray(MemoryLayout[]::new);
        return LINKER.downcallHandle(
                FunctionDescriptor.of(JAVA_LONG, arguments), Linker.Option.captureCallState("errno"));
    }

    private static MemorySegment function(String name) {
        return LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
    }

    /// Calls a function that answers an `int`. Pointers are passed as addresses.
    static int integer(MemorySegment function, MemorySegment state, long... arguments) throws Throwable {
        return (int) word(function, state, arguments); // the upper half of the register means nothing
    }

    /// Calls a function that answers a `long`.
    static long word(MemorySegment function, MemorySegment state, long... arguments) throws Throwable {
        var all = Arrays.copyOf(arguments, MOST_ARGUMENTS);
        return (long) FUNCTION.invokeExact(function, state, all[0], all[1], all[2], all[3], all[4]);
    }

    /// One call; `state` is where errno goes.
    interface Call {
        long on(Arena arena, MemorySegment state) throws Throwable;
    }

    /// Runs the call and answers what it answered: never negative.
    static long call(String name, String about, Call call) throws PosixException {
        return call(name, about, "", call);
    }

    /// @param whenDenied what is missing if the call is not permitted
    static long call(String name, String about, String whenDenied, Call call) throws PosixException {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(CALL_STATE);
            while (true) {
                var result = call.on(arena, state);
                if (result >= 0) {
                    return result;
                }
                var errno = (int) ERRNO.get(state, 0L);
                if (errno != Errno.EINTR) {
                    throw new PosixException(name, about, errno, errno == Errno.EPERM ? whenDenied : "");
                }
            }
        } catch (PosixException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /// All functions are linked by now: called before anything runs in another namespace.
    static void warm() {
        if (FUNCTION == null) {
            throw new AssertionError("not linked");
        }
    }
}
