// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.inbound;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/// Writes the PROXY protocol's binary header, version 2: who connects to what, and the client's SPIFFE identity.
final class ProxyHeader {
    private static final byte[] SIGNATURE = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a");
    private static final int VERSION_2_PROXY = 0x21;
    private static final int UNSPECIFIED = 0x00;
    private static final int TCP_V4 = 0x11;
    private static final int TCP_V6 = 0x21;
    private static final int IDENTITY = 0xd0;

    private ProxyHeader() {}

    /// With addresses of different families neither is written.
    static ByteBuf of(IpPort source, IpPort target, Optional<Identity> identity) {
        var uri = identity.map(known -> known.uri().getBytes(StandardCharsets.UTF_8));
        var family = source.ip().family();
        var isMixed = family != target.ip().family();
        var addresses = isMixed ? 0 : 2 * (family.bits() / 8) + 4;
        var header = Unpooled.buffer(256);
        header.writeBytes(SIGNATURE);
        header.writeByte(VERSION_2_PROXY);
        header.writeByte(isMixed ? UNSPECIFIED : family == Ip.Family.V4 ? TCP_V4 : TCP_V6);
        header.writeShort(addresses + uri.map(bytes -> 3 + bytes.length).orElse(0));
        if (!isMixed) {
            header.writeBytes(source.ip().bytes());
            header.writeBytes(target.ip().bytes());
            header.writeShort(source.port());
            header.writeShort(target.port());
        }
        uri.ifPresent(bytes -> {
            header.writeByte(IDENTITY);
            header.writeShort(bytes.length);
            header.writeBytes(bytes);
        });
        return header;
    }
}
