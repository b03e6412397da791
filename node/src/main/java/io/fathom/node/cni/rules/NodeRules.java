package io.fathom.node.cni.rules;

/// All rules of a node, written by the tool that suits it.
///
/// @param engine the tool, for people to read
public record NodeRules(String engine, PodRules pods, HostRules host, ProbeSet probes) {}
