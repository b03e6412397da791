// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.webhook;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A webhook configuration as it shall be, next to what it is. Immutable.
final class ConfigurationDraft {
    private final KubeObject object;
    private final List<Map<String, Tree>> webhooks;
    private final boolean changed;

    ConfigurationDraft(KubeObject object) {
        this(object, read(object), false);
    }

    private ConfigurationDraft(KubeObject object, List<Map<String, Tree>> webhooks, boolean changed) {
        this.object = object;
        this.webhooks = webhooks;
        this.changed = changed;
    }

    private static List<Map<String, Tree>> read(KubeObject object) {
        var webhooks = new ArrayList<Map<String, Tree>>();
        for (var webhook : object.root().at("webhooks").items()) {
            if (webhook.tree() instanceof Tree.Mapping mapping) {
                webhooks.add(mapping.entries());
            }
        }
        return webhooks;
    }

    /// With the certificates that verify us.
    ConfigurationDraft withRoots(String pem) {
        var bundle = Json.of(Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8)));
        return with(webhook -> {
            var client = webhook.get("clientConfig") instanceof Tree.Mapping mapping
                    ? new LinkedHashMap<>(mapping.entries())
                    : new LinkedHashMap<String, Tree>();
            if (text(client.get("caBundle")).equals(text(bundle))) {
                return webhook;
            }
            client.put("caBundle", bundle);
            return with(webhook, "clientConfig", Json.of(client));
        });
    }

    /// With no object let through that we did not see.
    ConfigurationDraft failingClosed() {
        return with(webhook -> isOpen(webhook) ? with(webhook, "failurePolicy", Json.of("Fail")) : webhook);
    }

    boolean mayFailOpen() {
        return webhooks.stream().anyMatch(ConfigurationDraft::isOpen);
    }

    boolean isChanged() {
        return changed;
    }

    /// For whoever still has the object that this was made of.
    Tree patch() {
        return Json.of(Map.of("metadata", Map.of("resourceVersion", object.resourceVersion()), "webhooks", webhooks));
    }

    private ConfigurationDraft with(UnaryOperator<Map<String, Tree>> change) {
        var after = webhooks.stream().map(change).toList();
        return new ConfigurationDraft(object, after, changed || !after.equals(webhooks));
    }

    private static Map<String, Tree> with(Map<String, Tree> webhook, String name, Tree value) {
        var entries = new LinkedHashMap<>(webhook);
        entries.put(name, value);
        return entries;
    }

    private static boolean isOpen(Map<String, Tree> webhook) {
        return text(webhook.get("failurePolicy")).equals("Ignore");
    }

    private static String text(@Nullable Tree tree) {
        return tree instanceof Tree.Scalar scalar ? scalar.text() : "";
    }
}
