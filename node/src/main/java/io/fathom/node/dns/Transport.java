package io.fathom.node.dns;

/// How a message travels.
public enum Transport {
    UDP,
    TCP
}
