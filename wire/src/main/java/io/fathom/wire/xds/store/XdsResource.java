// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

/// One resource as it goes on the wire: encoded once, the same for every client. Immutable and compact: tens of
/// thousands are kept.
///
/// Aliases are other names a client may ask for it by. Links are keys of something else whose subscribers get this
/// resource too, such as the service it belongs to.
public final class XdsResource {
    private static final String[] NONE = new String[0];

    private final String name;
    private final long version;
    private final byte[] body;
    private final String[] aliases;
    private final String[] links;
    private final long changedAt;

    private XdsResource(String name, long version, byte[] body, String[] aliases, String[] links, long changedAt) {
        this.name = name;
        this.version = version;
        this.body = body;
        this.aliases = aliases;
        this.links = links;
        this.changedAt = changedAt;
    }

    /// A resource that is not published yet.
    ///
    /// @param version a hash of the body
    /// @param body belongs to the resource from now on
    public static XdsResource of(String name, long version, byte[] body, List<String> aliases, List<String> links) {
        return new XdsResource(name, version, body, compact(aliases), compact(links), 0);
    }

    /// A message that is not published yet, known by one name only.
    public static XdsResource of(String name, Message message) {
        var body = new byte[message.getSerializedSize()];
        var out = CodedOutputStream.newInstance(body);
        out.useDeterministicSerialization();
        try {
            message.writeTo(out);
        } catch (IOException e) {
            throw new IllegalStateException("an array takes what was measured", e);
        }
        return of(name, body);
    }

    /// An encoded message that is not published yet, known by one name only.
    ///
    /// @param body belongs to the resource from now on
    public static XdsResource of(String name, byte[] body) {
        try {
            var hash = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(body));
            return of(name, hash.getLong(), body, List.of(), List.of());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String[] compact(List<String> values) {
        return values.isEmpty() ? NONE : values.toArray(NONE);
    }

    public String name() {
        return name;
    }

    /// As clients see it: lower-case hex without padding.
    public String version() {
        return Long.toHexString(version);
    }

    public byte[] body() {
        return body.clone();
    }

    public List<String> aliases() {
        return List.of(aliases);
    }

    public List<String> links() {
        return List.of(links);
    }

    public long versionBits() {
        return version;
    }

    /// Not to be changed.
    byte[] sharedBody() {
        return body;
    }

    /// Not to be changed.
    public String[] sharedAliases() {
        return aliases;
    }

    /// Not to be changed.
    public String[] sharedLinks() {
        return links;
    }

    /// The sequence of the cut that brought this value; 0 before it is published.
    long changedAt() {
        return changedAt;
    }

    XdsResource publishedAt(long sequence) {
        return new XdsResource(name, version, body, aliases, links, sequence);
    }

    boolean sameContent(XdsResource other) {
        return version == other.version && Arrays.equals(body, other.body);
    }

    boolean sameKeys(XdsResource other) {
        return Arrays.equals(aliases, other.aliases) && Arrays.equals(links, other.links);
    }

    @Override
    public String toString() {
        return name + "@" + version();
    }
}
