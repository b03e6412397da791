// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.oci;

import java.util.Optional;
import java.util.regex.Pattern;

/// An image in a registry.
///
/// @param registry `host` or `host:port`
/// @param version a tag, or `sha256:` and a digest
public record ImageReference(String registry, String repository, String version) {
    private static final Pattern PATH = Pattern.compile("[a-z0-9]+(?:[._/-]+[a-z0-9]+)*");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
    private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

    /// Reads `registry/repository:tag` or `registry/repository@sha256:digest`; without a version the tag is `latest`.
    /// Empty when it is none of both. The registry must be named.
    public static Optional<ImageReference> parse(String text) {
        var slash = text.indexOf('/');
        if (slash <= 0 || !isHost(text.substring(0, slash))) {
            return Optional.empty();
        }
        var path = text.substring(slash + 1);
        var at = path.indexOf('@');
        var digest = at < 0 ? "" : path.substring(at + 1);
        var named = at < 0 ? path : path.substring(0, at);
        var colon = named.indexOf(':');
        var tag = colon < 0 ? "latest" : named.substring(colon + 1);
        var repository = colon < 0 ? named : named.substring(0, colon);
        var good = PATH.matcher(repository).matches()
                && TAG.matcher(tag).matches()
                && (digest.isEmpty() || DIGEST.matcher(digest).matches());
        return good
                ? Optional.of(new ImageReference(text.substring(0, slash), repository, digest.isEmpty() ? tag : digest))
                : Optional.empty();
    }

    private static boolean isHost(String text) {
        return text.equals("localhost") || text.matches("[A-Za-z0-9.-]+[.:][A-Za-z0-9.:-]+");
    }

    /// The same image, but only with that digest.
    ///
    /// @param sha256 in hexadecimal digits
    public ImageReference pinned(String sha256) {
        return new ImageReference(registry, repository, "sha256:" + sha256);
    }

    /// Where its registry answers; those on this machine need no TLS.
    String base() {
        var local = registry.matches("(localhost|127\\.[0-9.]+)(:[0-9]+)?");
        return (local ? "http://" : "https://") + registry + "/v2/" + repository;
    }
}
