// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.node.cni.install.InstallConfig.Joining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Our place in the network configuration of a node. For one thread.
final class NetworkEntry {
    private static final Logger log = LoggerFactory.getLogger(NetworkEntry.class);

    private final InstallConfig config;
    private final NetworkFolder folder;

    NetworkEntry(InstallConfig config) {
        this.config = config;
        this.folder = new NetworkFolder(config.netFolder());
    }

    /// Whether runtimes will call us as they should.
    boolean isRight() throws IOException {
        return switch (config.joining()) {
            case Joining.Alone alone -> {
                var file = folder.file(alone.fileName());
                yield Files.exists(file) && Files.readString(file).equals(NetworkLists.alone(config.entry()));
            }
            case Joining.Chained _ ->
                primary(Optional.empty())
                        .filter(found -> NetworkLists.hasEntry(found.config(), config.entry()))
                        .isPresent();
            case Joining.Owned owned -> isRight(owned);
        };
    }

    private boolean isRight(Joining.Owned owned) throws IOException {
        var name = Optional.of(owned.fileName());
        var first = folder.first(Optional.empty()).filter(found -> found.name().equals(owned.fileName()));
        var primary = primary(name);
        return first.isPresent()
                && primary.isPresent()
                && NetworkLists.hasEntry(first.get().config(), config.entry())
                && NetworkLists.types(first.get().config())
                        .containsAll(NetworkLists.types(primary.get().config()));
    }

    /// Puts our entry in, unless all is right.
    ///
    /// @throws ProblemException when there is no network yet that we could join
    void put() throws IOException {
        if (isRight()) {
            return;
        }
        switch (config.joining()) {
            case Joining.Alone alone -> write(folder.file(alone.fileName()), NetworkLists.alone(config.entry()));
            case Joining.Chained _ -> chain(primary(Optional.empty()).orElseThrow(this::noNetwork));
            case Joining.Owned owned -> {
                var primary = primary(Optional.of(owned.fileName())).orElseThrow(this::noNetwork);
                if (owned.fileName().compareTo(primary.name()) >= 0) {
                    throw new ProblemException(Problem.ofInput(
                            "cni-config-not-first",
                            owned.fileName() + " comes after " + primary.name() + ", so runtimes would not look at it",
                            "choose a file name that comes first (ISTIO_OWNED_CNI_CONFIG_FILENAME)"));
                }
                write(folder.file(owned.fileName()), NetworkLists.insert(primary.config(), config.entry()));
            }
        }
    }

    private void chain(NetworkFolder.FoundConfiguration primary) throws IOException {
        var target = folder.file(NetworkFolder.listName(primary.name()));
        var kept = Files.getPosixFilePermissions(primary.file());
        HostFiles.write(target, NetworkLists.insert(primary.config(), config.entry()), kept);
        if (!target.equals(primary.file())) {
            Files.deleteIfExists(primary.file());
        }
        log.atInfo().addKeyValue("file", target).log("joined the network configuration");
    }

    /// Takes our entry out; what others wrote stays.
    void remove() throws IOException {
        switch (config.joining()) {
            case Joining.Alone alone -> Files.deleteIfExists(folder.file(alone.fileName()));
            case Joining.Owned owned -> Files.deleteIfExists(folder.file(owned.fileName()));
            case Joining.Chained _ -> {
                var found = primary(Optional.empty()).filter(file -> NetworkLists.hasAnyOfOurs(file.config()));
                if (found.isPresent()) {
                    write(found.get().file(), NetworkLists.remove(found.get().config()));
                }
            }
        }
    }

    private Optional<NetworkFolder.FoundConfiguration> primary(Optional<String> excluded) throws IOException {
        return config.chosen().isPresent() ? folder.named(config.chosen().get()) : folder.first(excluded);
    }

    private void write(Path file, String text) throws IOException {
        HostFiles.write(file, text, permissions(config.modes().network()));
        log.atInfo().addKeyValue("file", file).log("wrote the network configuration");
    }

    static Set<PosixFilePermission> permissions(String text) {
        return PosixFilePermissions.fromString(text);
    }

    private ProblemException noNetwork() {
        return new ProblemException(new Problem(
                "cni-config-missing",
                "there is no network configuration in " + config.netFolder() + " yet",
                "install the cluster's network plugin; we join as soon as it is there",
                Problem.Origin.SERVER,
                Problem.Retry.SENSIBLE));
    }
}
