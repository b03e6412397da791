package io.fathom.control.envoy.refusal;

/// Something that an object says and that a resource of proxies is made from.
///
/// @param object as `Kind/namespace/name`, which is told when proxies refuse it
/// @param content the object itself, or the part of it that counts
public record Ingredient(String object, Object content) {}
