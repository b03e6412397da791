// SPDX-License-Identifier: Apache-2.0
/// Where sockets are made: in the program's own network namespace ([io.fathom.node.socket.OwnSockets]) or in that of a
/// pod ([io.fathom.node.socket.NamespaceSockets]). Also what is asked of them afterwards: the original destination of
/// a redirected connection. Knows nothing about the mesh.
@NullMarked
package io.fathom.node.socket;

import org.jspecify.annotations.NullMarked;
