// SPDX-License-Identifier: Apache-2.0
package io.fathom.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/// Which build this is.
///
/// @param revision the commit, `unknown` when built outside a checkout
/// @param status `Clean` or `Modified`
public record BuildInfo(String version, String revision, String status) {
    /// As the build recorded it in the jar.
    public static BuildInfo current() {
        var properties = new Properties();
        try (var in = BuildInfo.class.getResourceAsStream("build.properties")) {
            if (in == null) {
                throw new IllegalStateException("build.properties is missing from the jar");
            }
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new BuildInfo(
                properties.getProperty("version", "unknown"),
                properties.getProperty("revision", "unknown"),
                properties.getProperty("status", "unknown"));
    }

    /// The text that istioctl and Kiali split at its last two dashes.
    public String text() {
        return version + "-" + revision + "-" + status;
    }
}
