// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.ByteString;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.RefreshedValue.State;
import io.fathom.base.work.RefreshedValues;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the modules that extensions name: each is fetched once, whatever the number of proxies, and kept as long as
/// an extension names it. A fetch that fails several times makes the module [ModuleState.Failed]; it is tried again
/// all the same. A module that is there stays, even if its source goes away.
///
/// Any thread. Calls return at once; fetching is done by the timeline's threads, a few at a time. The listener is
/// called there too, without a lock.
public final class ModuleLibrary implements Modules, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ModuleLibrary.class);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(5);
    private static final int TRIES = 5;
    private static final int AT_ONCE = 4;

    private final ModuleListener listener;
    private final RefreshedValues<ModuleSource, ByteString> modules;

    /// Told when [#find] of a source has another answer.
    @FunctionalInterface
    public interface ModuleListener {
        void changed(ModuleSource source, ModuleState state);
    }

    /// Fetches nothing yet.
    public ModuleLibrary(ModuleFetcher fetcher, Timeline timeline, ModuleListener listener) {
        this.listener = listener;
        this.modules = new RefreshedValues<>(
                new RefreshedValues.RefreshSettings(Optional.empty(), FIRST_RETRY, LONGEST_RETRY, AT_ONCE),
                timeline,
                source -> ByteString.copyFrom(fetcher.fetch(source)),
                this::tried);
    }

    /// Fetches these from now on, and forgets all others.
    public void want(Set<ModuleSource> sources) {
        modules.keys().stream().filter(source -> !sources.contains(source)).forEach(modules::forget);
        sources.forEach(modules::want);
    }

    @Override
    public ModuleState find(ModuleSource source) {
        return modules.find(source).map(state -> state(source, state)).orElseGet(ModuleState.Pending::new);
    }

    private void tried(ModuleSource source, State<ByteString> before, State<ByteString> now) {
        var state = state(source, now);
        if (state(source, before).equals(state)) {
            return;
        }
        switch (state) {
            case ModuleState.Ready(var module) ->
                log.atInfo()
                        .addKeyValue("module", source.url())
                        .addKeyValue("bytes", module.size())
                        .log("module fetched");
            case ModuleState.Failed(var problem) ->
                log.atWarn().addKeyValue("problem", problem).log("a module cannot be fetched");
            case ModuleState.Pending _ -> {}
        }
        listener.changed(source, state);
    }

    private static ModuleState state(ModuleSource source, State<ByteString> state) {
        if (state.value().isPresent()) {
            return new ModuleState.Ready(state.value().get());
        }
        return state.failures() < TRIES
                ? new ModuleState.Pending()
                : new ModuleState.Failed(new Problem(
                        "module-fetch",
                        "module " + source.url() + " cannot be fetched: "
                                + state.failure().orElse(""),
                        "correct its address, its digest or its pull secret",
                        Problem.Origin.CLIENT,
                        Problem.Retry.SENSIBLE));
    }

    @Override
    public void close() {
        modules.close();
    }
}
