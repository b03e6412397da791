package io.fathom.control.deploy;

/// How many routes the listeners of Gateways have.
@FunctionalInterface
public interface AttachedRoutes {
    /// Nobody counts them.
    AttachedRoutes NONE = (_, _, _) -> 0;

    int count(String namespace, String gateway, String listener);
}
