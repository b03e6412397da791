package io.fathom.wire.xds;

/// What a request turned out to be.
sealed interface Receipt {
    /// A new or changed subscription, or nothing worth telling.
    record Taken() implements Receipt {}

    /// The latest response of that type was accepted.
    record Acknowledged(XdsType type) implements Receipt {}

    /// A response was refused; it is not sent again.
    record Refused(XdsType type, String error) implements Receipt {}

    /// It answers a response that is no longer the latest.
    record Expired(XdsType type) implements Receipt {}
}
