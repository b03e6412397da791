package io.fathom.wire.kube;

/// A GatewayClass of the Gateway API.
public record GatewayClassManifest(Metadata metadata, String controllerName) implements Manifest {}
