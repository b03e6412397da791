// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

/// What a cluster exports of one of its services, as it travels. Whose it is, is not in it.
///
/// @param body what many services have in common: ports, accounts, scope. Equal ones have equal bytes
/// @param spread how many endpoints there are and where
/// @param exported since when, in seconds since 1970
public record ServiceFact(String namespace, String name, Blob body, Blob spread, long exported) {
    /// `namespace/name`.
    public String path() {
        return namespace + "/" + name;
    }

    public ServiceFact spread(Blob other) {
        return new ServiceFact(namespace, name, body, other, exported);
    }

    /// Whether they say the same; since when they say it is left out.
    public boolean says(ServiceFact other) {
        return path().equals(other.path()) && body.equals(other.body) && spread.equals(other.spread);
    }

    public long hash64() {
        return hash64(path(), body, spread);
    }

    /// One number for what is said, of which the sum over many is compared.
    public static long hash64(String path, Blob body, Blob spread) {
        return mix(pathHash(path) + mix(body.hash64() + mix(spread.hash64())));
    }

    /// By what a service is named where its path would be too long. Two services of a cluster may share one.
    public static int key(String path) {
        var hash = pathHash(path);
        return (int) (hash ^ (hash >>> 32));
    }

    private static long pathHash(String path) {
        var hash = 0xcbf29ce484222325L;
        for (var i = 0; i < path.length(); i++) {
            hash = (hash ^ path.charAt(i)) * 0x100000001b3L;
        }
        return mix(hash);
    }

    private static long mix(long value) {
        var mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }
}
