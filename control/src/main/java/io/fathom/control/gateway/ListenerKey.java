package io.fathom.control.gateway;

import io.fathom.wire.kube.ObjectKey;

/// A listener of a Gateway.
public record ListenerKey(ObjectKey gateway, String listener) {}
