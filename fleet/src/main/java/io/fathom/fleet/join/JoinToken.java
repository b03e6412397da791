// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.join;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/// Lets one cluster join, once: `fjt1.<id>.<secret>.<fingerprint of the server's key>`.
///
/// @param id that the server finds it by
/// @param secret 256 random bits; never printed but by [#text]
/// @param server the fingerprint of the key that the server has to show before it gets to see the token
public record JoinToken(String id, String secret, String server) {
    private static final Pattern FORM =
            Pattern.compile("fjt1\\.([0-9a-f]{16})\\.([A-Za-z0-9_-]{43})\\.([A-Za-z0-9_-]{43})");
    private static final int ID_BYTES = 8;
    private static final int SECRET_BYTES = 32;

    /// A new one.
    public static JoinToken create(String server, SecureRandom random) {
        var id = new byte[ID_BYTES];
        var secret = new byte[SECRET_BYTES];
        random.nextBytes(id);
        random.nextBytes(secret);
        return new JoinToken(
                HexFormat.of().formatHex(id),
                Base64.getUrlEncoder().withoutPadding().encodeToString(secret),
                server);
    }

    public static Optional<JoinToken> parse(String text) {
        var form = FORM.matcher(text.strip());
        return form.matches()
                ? Optional.of(new JoinToken(form.group(1), form.group(2), form.group(3)))
                : Optional.empty();
    }

    /// As people pass it on.
    public String text() {
        return "fjt1." + id + "." + secret + "." + server;
    }

    /// What the server keeps of the secret: SHA-256 in hexadecimal digits.
    public String hash() {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "fjt1." + id + ".***";
    }
}
