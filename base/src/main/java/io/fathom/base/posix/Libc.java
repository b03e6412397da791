package io.fathom.base.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
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
import java.util.stream.Stream;

/// The C library, one method handle for each function. Each call captures errno in memory of its own, so any thread
/// may call; EINTR is tried again.
final class Libc {
    static final int O_RDONLY_CLOEXEC = 0x80000;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final FunctionDescriptor INT = FunctionDescriptor.of(JAVA_INT);

    static final MethodHandle OPEN = variadic("open", INT.appendArgumentLayouts(ADDRESS, JAVA_INT), 2);
    static final MethodHandle CLOSE = function("close", INT.appendArgumentLayouts(JAVA_INT));
    static final MethodHandle DUP = variadic("fcntl", INT.appendArgumentLayouts(JAVA_INT, JAVA_INT, JAVA_INT), 2);
    static final MethodHandle IOCTL = variadic("ioctl", INT.appendArgumentLayouts(JAVA_INT, JAVA_LONG), 2);
    static final MethodHandle FSTAT = function("fstat", INT.appendArgumentLayouts(JAVA_INT, ADDRESS));
    static final MethodHandle SETNS = function("setns", INT.appendArgumentLayouts(JAVA_INT, JAVA_INT));
    static final MethodHandle SOCKET = function("socket", INT.appendArgumentLayouts(JAVA_INT, JAVA_INT, JAVA_INT));
    static final MethodHandle SOCKETPAIR =
            function("socketpair", INT.appendArgumentLayouts(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    static final MethodHandle CONNECT = function("connect", INT.appendArgumentLayouts(JAVA_INT, ADDRESS, JAVA_INT));
    static final MethodHandle BIND = function("bind", INT.appendArgumentLayouts(JAVA_INT, ADDRESS, JAVA_INT));
    static final MethodHandle LISTEN = function("listen", INT.appendArgumentLayouts(JAVA_INT, JAVA_INT));
    static final MethodHandle ACCEPT =
            function("accept4", INT.appendArgumentLayouts(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    static final MethodHandle SHUTDOWN = function("shutdown", INT.appendArgumentLayouts(JAVA_INT, JAVA_INT));
    static final MethodHandle SENDMSG =
            function("sendmsg", FunctionDescriptor.of(JAVA_LONG).appendArgumentLayouts(JAVA_INT, ADDRESS, JAVA_INT));
    static final MethodHandle RECVMSG =
            function("recvmsg", FunctionDescriptor.of(JAVA_LONG).appendArgumentLayouts(JAVA_INT, ADDRESS, JAVA_INT));
    static final MethodHandle SETSOCKOPT =
            function("setsockopt", INT.appendArgumentLayouts(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    static final MethodHandle GETSOCKOPT =
            function("getsockopt", INT.appendArgumentLayouts(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    static final MethodHandle GETRLIMIT = function("getrlimit", INT.appendArgumentLayouts(JAVA_INT, ADDRESS));
    static final MethodHandle SETRLIMIT = function("setrlimit", INT.appendArgumentLayouts(JAVA_INT, ADDRESS));

    private Libc() {}

    private static MethodHandle function(String name, FunctionDescriptor type) {
        return variadic(name, type, -1);
    }

    @SuppressWarnings("restricted") // this package is where native access is allowed
    private static MethodHandle variadic(String name, FunctionDescriptor type, int firstVariadic) {
        var address = LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
        var options = Stream.concat(
                Stream.of(Linker.Option.captureCallState("errno")),
                // a fixed prototype with no further arguments is still called the variadic way
                firstVariadic >= 0 && type.argumentLayouts().size() > firstVariadic
                        ? Stream.of(Linker.Option.firstVariadicArg(firstVariadic))
                        : Stream.empty());
        return LINKER.downcallHandle(address, type, options.toArray(Linker.Option[]::new));
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
        var all = Arrays.asList(OPEN, CLOSE, SETNS, FSTAT);
        if (all.contains(null)) {
            throw new AssertionError("not linked");
        }
    }
}
