package io.fathom.control.gateway;

import io.fathom.wire.kube.RouteManifest.ParentRef;

/// What became of a route at one of its parents.
///
/// @param accepted whether it is in effect there
/// @param resolved whether all that its rules refer to may be used
public record ParentVerdict(ParentRef parent, Finding accepted, Finding resolved) {}
