// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.manifest.ExactFields;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.Mistakes;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Reads PeerAuthentications, exactly. What cannot be read of one is STRICT.
public final class PeerAuthenticationReader implements KindReader {
    private static final Set<String> SPEC = Set.of("selector", "mtls", "portLevelMtls");
    private static final Set<String> MTLS = Set.of("mode");
    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
    private static final Choices<Mode> MODES = Choices.of(Mode.class, Mode::name);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = ExactFields.spec(object, SPEC);
        var selector = PolicyReach.selector(spec.at("selector"), interner);
        var ports = portModes(spec.at("portLevelMtls"), PeerAuthenticationReader::requiredMode);
        if (!ports.isEmpty() && selector.filter(labels -> !labels.isEmpty()).isEmpty()) {
            throw spec.at("portLevelMtls")
                    .wrong(
                            "manifest-bad-value",
                            "needs a selector: a whole namespace or mesh has no ports",
                            "add selector.matchLabels, or set mtls.mode alone");
        }
        return new PeerAuthenticationManifest(metadata, selector, mode(spec.at("mtls")), ports);
    }

    @Override
    public boolean protects() {
        return true;
    }

    @Override
    public Optional<Manifest> readDamaged(Metadata metadata, Field object, Mistakes mistakes, Interner interner) {
        var parts = new DamagedParts(object, mistakes, SPEC);
        var spec = object.at("spec");
        var selector = selector(parts, spec, interner);
        if (selector.isEmpty() || parts.hasDoubtfulMetadata()) {
            return Optional.of(new PeerAuthenticationManifest(
                    metadata,
                    Optional.empty(),
                    Mode.STRICT,
                    Collections.emptySortedMap(),
                    Optional.of(new Damage(
                            Damage.Reach.ALL_OF_NAMESPACE,
                            "is STRICT in all of namespace " + metadata.key().namespace()
                                    + ", whatever other PeerAuthentications say"))));
        }
        var ports = parts.mayLack() ? Optional.<SortedMap<Integer, Mode>>empty() : ports(parts, spec);
        var mode = ports.isEmpty() ? Mode.STRICT : modeOf(parts, spec.at("mtls"), parts.has("mtls"));
        return Optional.of(new PeerAuthenticationManifest(
                metadata,
                Optional.of(selector.get()).filter(labels -> !labels.isEmpty()),
                mode,
                ports.orElse(Collections.emptySortedMap()),
                Optional.of(new Damage(Damage.Reach.AS_WRITTEN, effect(mode, ports)))));
    }

    private static String effect(Mode mode, Optional<SortedMap<Integer, Mode>> ports) {
        return mode == Mode.STRICT && ports.filter(some -> !some.isEmpty()).isEmpty()
                ? "is STRICT on all ports"
                : "is STRICT where its mode cannot be read";
    }

    /// Empty when it cannot be told whom it selects; without labels when everybody.
    private static Optional<Map<String, String>> selector(DamagedParts parts, Field spec, Interner interner) {
        if (parts.isLost()) {
            return Optional.empty();
        }
        var mayLackLabels = parts.mayLack() || parts.has("portLevelMtls");
        if (parts.has("selector")) {
            return parts.read(spec.at("selector"), selector -> PolicyReach.selector(selector, interner))
                    .flatMap(labels -> labels)
                    .filter(labels -> !labels.isEmpty() || !mayLackLabels);
        }
        return mayLackLabels ? Optional.empty() : Optional.of(Map.of());
    }

    /// Empty when a port cannot be read: each may be meant.
    private static Optional<SortedMap<Integer, Mode>> ports(DamagedParts parts, Field spec) {
        if (!parts.has("portLevelMtls")) {
            return Optional.of(Collections.emptySortedMap());
        }
        try {
            var ports = portModes(spec.at("portLevelMtls"), mtls -> modeOf(parts, mtls, true));
            return ports.isEmpty() ? Optional.empty() : Optional.of(ports);
        } catch (MisreadException _) {
            return Optional.empty();
        }
    }

    /// STRICT when it cannot be read, or is written and says nothing.
    private static Mode modeOf(DamagedParts parts, Field mtls, boolean isWritten) {
        return isWritten && !mtls.isPresent()
                ? Mode.STRICT
                : parts.read(mtls, PeerAuthenticationReader::mode).orElse(Mode.STRICT);
    }

    private static Mode mode(Field mtls) {
        return ExactFields.map(mtls, MTLS).at("mode").oneOf(MODES, Mode.UNSET);
    }

    private static Mode requiredMode(Field mtls) {
        if (!mtls.isPresent()) {
            throw mtls.missing("write a mode, or delete the port");
        }
        return mode(mtls);
    }

    private static SortedMap<Integer, Mode> portModes(Field ports, Function<Field, Mode> mode) {
        var modes = new TreeMap<Integer, Mode>();
        if (ports.isPresent() && ports.entries().isEmpty()) {
            throw ports.missing("delete it, or add a port");
        }
        ports.entries().forEach((key, mtls) -> {
            if (!PORT.matcher(key).matches() || Integer.parseInt(key) > Ports.MOST) {
                throw mtls.wrong(
                        "manifest-bad-value",
                        "is named \"" + key + "\", which is no port number",
                        "use the workload's port as a number from 1 to " + Ports.MOST + "; names do not work here");
            }
            modes.put(Integer.valueOf(key), mode.apply(mtls));
        });
        return modes;
    }
}
