package io.fathom.model.policy;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import java.util.Optional;

/// A connection as policies see it. Networks play no part.
///
/// @param source the verified identity of the peer; empty for plain text
/// @param destination where the application itself takes it, after all mapping of ports
public record Attempt(Optional<Identity> source, Ip sourceIp, IpPort destination) {}
