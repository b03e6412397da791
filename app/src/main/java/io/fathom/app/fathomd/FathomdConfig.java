// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.settings.Setting;
import io.fathom.app.settings.Settings;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.status.Candidate;
import io.fathom.control.status.Candidate.Election;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.wire.kube.api.KubeConfig;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/// What one control plane needs to know before it starts. Ports of 0 mean any free one.
///
/// @param prefixes where addresses of services without one come from
/// @param candidate how it competes with others for what only one may do
public record FathomdConfig(
        ObjectSource source,
        Listening listening,
        MeshNames mesh,
        String logLevel,
        Set<Feature> features,
        VipPrefixes prefixes,
        IdentityConfig identity,
        Candidate candidate,
        GatewayConfig gateways,
        ReplicaConfig replica,
        RemotesConfig remotes) {

    /// Where objects come from.
    ///
    /// @param manifests folders; where several have an object, the last of them counts. None when there is `kube`
    /// @param stateDir what a restart must not forget; empty for a hidden folder among the manifests
    /// @param kube the API server that objects come from, if they do not come from folders
    public record ObjectSource(List<Path> manifests, Optional<Path> stateDir, Optional<KubeConfig> kube) {
        public ObjectSource {
            manifests = List.copyOf(manifests);
        }

        /// Where to keep what a restart must not forget, without an API server.
        Path stateFolder() {
            return stateDir.orElseGet(() -> manifests.getLast().resolve(".fathom"));
        }
    }

    /// Our ports.
    ///
    /// @param customHosts more names for the certificate of the TLS port
    /// @param rootCertFile where clients find the root of that certificate
    /// @param maxReceiveBytes largest request of an xDS client
    public record Listening(
            List<Ip> addresses,
            int plaintextPort,
            int tlsPort,
            int httpPort,
            List<String> customHosts,
            Optional<Path> rootCertFile,
            int maxReceiveBytes) {
        public Listening {
            addresses = List.copyOf(addresses);
            customHosts = List.copyOf(customHosts);
        }
    }

    /// What the mesh, and our part of it, is called.
    ///
    /// @param network empty when the cluster has only one
    /// @param rootNamespace empty means the system namespace
    public record MeshNames(
            String clusterId,
            String network,
            String trustDomain,
            String domain,
            String systemNamespace,
            String rootNamespace,
            String revision) {}

    public record VipPrefixes(IpBlock ipv4, IpBlock ipv6) {}

    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
    private static final List<String> LEVELS = List.of("error", "warn", "info", "debug", "trace");

    public FathomdConfig {
        features = Set.copyOf(features);
    }

    /// Throws a [io.fathom.base.lang.ProblemException] that names the flag or variable and what to write instead.
    public static FathomdConfig parse(String[] args, Map<String, String> environment) {
        return of(CommandLine.read(args, environment).settings());
    }

    static FathomdConfig of(Settings settings) {
        var kube = SourceChoice.kube(settings, ACCOUNT);
        return new FathomdConfig(
                new ObjectSource(
                        kube.isPresent() ? List.of() : folders(settings, FathomdSetting.MANIFESTS),
                        Optional.of(settings.text(FathomdSetting.STATE_DIR))
                                .filter(text -> !text.isEmpty())
                                .map(text -> path(settings, FathomdSetting.STATE_DIR, text, "name a folder")),
                        kube),
                new Listening(
                        addresses(settings, FathomdSetting.LISTEN_ADDRESS),
                        settings.port(FathomdSetting.PLAINTEXT_PORT),
                        settings.port(FathomdSetting.TLS_PORT),
                        settings.port(FathomdSetting.HTTP_PORT),
                        settings.words(FathomdSetting.CUSTOM_HOST),
                        file(settings, FathomdSetting.ROOT_CERT_FILE),
                        settings.number(
                                FathomdSetting.MAX_RECEIVE, 4096, Integer.MAX_VALUE, "give at least 4096 bytes")),
                new MeshNames(
                        name(settings, FathomdSetting.CLUSTER_ID),
                        settings.text(FathomdSetting.NETWORK),
                        name(settings, FathomdSetting.TRUST_DOMAIN),
                        name(settings, FathomdSetting.DOMAIN),
                        name(settings, FathomdSetting.SYSTEM_NAMESPACE),
                        settings.text(FathomdSetting.ROOT_NAMESPACE),
                        name(settings, FathomdSetting.REVISION)),
                level(settings, FathomdSetting.LOG_LEVEL),
                features(settings),
                new VipPrefixes(
                        settings.block(FathomdSetting.IPV4_PREFIX, Ip.Family.V4),
                        settings.block(FathomdSetting.IPV6_PREFIX, Ip.Family.V6)),
                IdentityConfig.of(settings, name(settings, FathomdSetting.TRUST_DOMAIN)),
                candidate(settings),
                GatewayConfig.of(settings),
                ReplicaConfig.of(settings),
                RemotesConfig.of(settings));
    }

    String clusterId() {
        return mesh.clusterId();
    }

    String systemNamespace() {
        return mesh.systemNamespace();
    }

    String revision() {
        return mesh.revision();
    }

    private static Candidate candidate(Settings settings) {
        var pod = settings.text(FathomdSetting.POD_NAME);
        return Candidate.of(
                        pod.isEmpty() ? "fathomd-" + UUID.randomUUID() : pod,
                        name(settings, FathomdSetting.SYSTEM_NAMESPACE),
                        name(settings, FathomdSetting.REVISION))
                .with(settings.on(FathomdSetting.LEADER_ELECTION) ? Election.ON : Election.OFF);
    }

    private static Set<Feature> features(Settings settings) {
        var features = EnumSet.noneOf(Feature.class);
        for (var setting : FathomdSetting.values()) {
            setting.feature().filter(_ -> settings.on(setting)).ifPresent(features::add);
        }
        if (RemotesConfig.of(settings).areNamed()) {
            features.add(Feature.MULTI_NETWORK);
        }
        switch (settings.keyExchange(FathomdSetting.COMPLIANCE_POLICY)) {
            case ANY -> {}
            case POST_QUANTUM -> features.add(Feature.POST_QUANTUM_TLS);
            case FIPS_140_2 -> features.add(Feature.FIPS_TLS);
        }
        return features;
    }

    /// What the derivations need of this.
    AmbientConfig ambient() {
        var config = new AmbientConfig(
                mesh.clusterId(),
                mesh.network(),
                mesh.trustDomain(),
                mesh.systemNamespace(),
                mesh.rootNamespace().isEmpty() ? mesh.systemNamespace() : mesh.rootNamespace(),
                mesh.domain(),
                mesh.revision(),
                features,
                prefixes.ipv4(),
                prefixes.ipv6());
        return config.with(source.kube().isPresent() ? Feature.SECRETS_BY_NAME : Feature.SERVE_PLANNED_ADDRESSES);
    }

    private static List<Ip> addresses(Settings settings, Setting setting) {
        var fix = "give 0.0.0.0 or :: for all interfaces, 127.0.0.1 for this machine";
        var addresses = new ArrayList<Ip>();
        for (var word : settings.words(setting)) {
            addresses.add(Ip.parse(word).orElseThrow(() -> settings.bad(setting, "is not an IP address", fix)));
        }
        if (addresses.isEmpty()) {
            throw settings.bad(setting, "is not an IP address", fix);
        }
        if (addresses.size() > 1
                && Stream.of(FathomdSetting.PLAINTEXT_PORT, FathomdSetting.TLS_PORT, FathomdSetting.HTTP_PORT)
                        .anyMatch(port -> settings.port(port) == 0)) {
            throw settings.bad(
                    setting, "names several addresses, but a port is 0", "choose each port, or give one address");
        }
        return addresses;
    }

    private static String level(Settings settings, Setting setting) {
        if (!LEVELS.contains(settings.text(setting))) {
            throw settings.bad(setting, "is not a level", "give one of " + String.join(", ", LEVELS));
        }
        return settings.text(setting);
    }

    private static List<Path> folders(Settings settings, Setting setting) {
        var fix = "name the folder that holds the manifests: fathomd --manifests DIR";
        if (settings.words(setting).isEmpty()) {
            throw settings.bad(setting, "", fix + ", or an API server: fathomd --kubeconfig FILE");
        }
        var folders = new ArrayList<Path>();
        for (var word : settings.words(setting)) {
            var path = path(settings, setting, word, fix);
            if (!Files.isDirectory(path)) {
                throw settings.bad(setting, Files.exists(path) ? "is not a folder" : "does not exist", fix);
            }
            folders.add(path);
        }
        return folders;
    }

    static Optional<Path> file(Settings settings, Setting setting) {
        if (settings.text(setting).isEmpty()) {
            return Optional.empty();
        }
        var path = path(settings, setting, settings.text(setting), "name a file");
        var parent = path.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw settings.bad(setting, "is in a folder that does not exist", "create that folder first");
        }
        return Optional.of(path);
    }

    static Path path(Settings settings, Setting setting, String text, String fix) {
        try {
            return Path.of(text);
        } catch (InvalidPathException _) {
            throw settings.bad(setting, "is not a path", fix);
        }
    }

    private static String name(Settings settings, Setting setting) {
        var text = settings.text(setting);
        if (text.isBlank() || text.chars().anyMatch(Character::isWhitespace) || text.contains("/")) {
            throw settings.bad(
                    setting, "is not a name", "give a name without blanks and slashes, like " + setting.fallback());
        }
        return text;
    }
}
