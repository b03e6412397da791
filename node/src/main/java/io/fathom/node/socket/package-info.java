/// Where sockets are made: in the program's own network namespace or in that of a pod.
@NullMarked
package io.fathom.node.socket;

import org.jspecify.annotations.NullMarked;
