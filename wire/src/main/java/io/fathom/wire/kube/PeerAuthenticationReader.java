package io.fathom.wire.kube;

import io.fathom.wire.kube.PeerAuthenticationManifest.Mode;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.SortedMap;
import java.util.TreeMap;

/// Reads PeerAuthentications.
final class PeerAuthenticationReader implements KindReader {
    private static final Choices<Mode> MODES = Choices.of(Mode.class, Mode::name);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new PeerAuthenticationManifest(
                metadata,
                SelectorReader.workloads(spec.at("selector"), interner),
                mode(spec.at("mtls")),
                portModes(spec.at("portLevelMtls")));
    }

    private static Mode mode(Field mtls) {
        return mtls.at("mode").oneOf(MODES, Mode.UNSET);
    }

    private static SortedMap<Integer, Mode> portModes(Field ports) {
        var modes = new TreeMap<Integer, Mode>();
        ports.entries().forEach((key, mtls) -> {
            if (!key.matches("[1-9][0-9]{0,4}") || Integer.parseInt(key) > Ports.MOST) {
                throw mtls.wrong(
                        "manifest-bad-value",
                        "is named \"" + key + "\", which is no port number",
                        "use the workload's port as a number from 1 to " + Ports.MOST + "; names do not work here");
            }
            modes.put(Integer.valueOf(key), mode(mtls));
        });
        return modes;
    }
}
