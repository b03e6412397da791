package io.fathom.wire.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// XXH64 with seed 0: equal bytes have equal versions on every replica, as upstream's have. No library at hand offers
/// this variant of xxHash; it is checked against published values.
final class ContentHash {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_1_PLUS_2 = 0x60EA27EEADC0B5D6L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final int STRIPE = 32;

    private ContentHash() {}

    static long of(byte[] bytes) {
        var at = 0;
        long hash;
        if (bytes.length >= STRIPE) {
            var one = PRIME_1_PLUS_2;
            var two = PRIME_2;
            var three = 0L;
            var four = -PRIME_1;
            for (; at <= bytes.length - STRIPE; at += STRIPE) {
                one = round(one, longAt(bytes, at));
                two = round(two, longAt(bytes, at + 8));
                three = round(three, longAt(bytes, at + 16));
                four = round(four, longAt(bytes, at + 24));
            }
            hash = Long.rotateLeft(one, 1)
                    + Long.rotateLeft(two, 7)
                    + Long.rotateLeft(three, 12)
                    + Long.rotateLeft(four, 18);
            hash = merge(merge(merge(merge(hash, one), two), three), four);
        } else {
            hash = PRIME_5;
        }
        return avalanche(tail(hash + bytes.length, bytes, at));
    }

    private static long tail(long start, byte[] bytes, int from) {
        var hash = start;
        var at = from;
        for (; at <= bytes.length - 8; at += 8) {
            hash = Long.rotateLeft(hash ^ round(0, longAt(bytes, at)), 27) * PRIME_1 + PRIME_4;
        }
        if (at <= bytes.length - 4) {
            var value = Integer.toUnsignedLong((int) INTS.get(bytes, at));
            hash = Long.rotateLeft(hash ^ value * PRIME_1, 23) * PRIME_2 + PRIME_3;
            at += 4;
        }
        for (; at < bytes.length; at++) {
            hash = Long.rotateLeft(hash ^ (bytes[at] & 0xffL) * PRIME_5, 11) * PRIME_1;
        }
        return hash;
    }

    private static long avalanche(long start) {
        var hash = (start ^ start >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    private static long round(long accumulator, long input) {
        return Long.rotateLeft(accumulator + input * PRIME_2, 31) * PRIME_1;
    }

    private static long merge(long hash, long accumulator) {
        return (hash ^ round(0, accumulator)) * PRIME_1 + PRIME_4;
    }

    private static long longAt(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }
}
