// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What `create-remote-secret` was asked for.
///
/// @param name of the cluster; empty for its own
/// @param server empty for the one that we ask
/// @param tokenSecret empty for the usual one
record RemoteSecretRequest(
        String name,
        String server,
        String serverName,
        String account,
        boolean createsAccount,
        String tokenSecret,
        Auth auth,
        String plugin,
        Map<String, String> pluginConfig,
        RemoteSecret.SecretForm form) {
    /// How the other cluster proves who it is.
    enum Auth {
        BEARER_TOKEN,
        PLUGIN
    }

    RemoteSecretRequest {
        pluginConfig = Map.copyOf(pluginConfig);
        if (auth == Auth.PLUGIN && plugin.isEmpty()) {
            throw bad("--auth-type plugin needs a plugin", "name it with --auth-plugin-name");
        }
    }

    static Auth auth(String text) {
        return switch (text) {
            case "bearer-token" -> Auth.BEARER_TOKEN;
            case "plugin" -> Auth.PLUGIN;
            default -> throw bad("--auth-type is " + text, "write bearer-token or plugin");
        };
    }

    static RemoteSecret.SecretForm form(String text) {
        return switch (text) {
            case "remote" -> RemoteSecret.SecretForm.REMOTE;
            case "config" -> RemoteSecret.SecretForm.CONFIG;
            default -> throw bad("--type is " + text, "write remote or config");
        };
    }

    static boolean flag(String text, String name) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw bad(name + " is " + text, "write true or false");
        };
    }

    static Map<String, String> pairs(List<String> texts) {
        var pairs = new LinkedHashMap<String, String>();
        for (var text : texts) {
            var equals = text.indexOf('=');
            if (equals <= 0) {
                throw bad("--auth-plugin-config is " + text, "write KEY=VALUE");
            }
            pairs.put(text.substring(0, equals), text.substring(equals + 1));
        }
        return pairs;
    }

    static ProblemException bad(String message, String fix) {
        return new ProblemException(Problem.ofInput("bad-command-line", message, fix));
    }
}
