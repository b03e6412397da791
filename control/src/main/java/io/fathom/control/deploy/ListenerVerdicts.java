package io.fathom.control.deploy;

import io.fathom.wire.kube.GatewayManifest.Listener;
import io.fathom.wire.kube.ListenerSetManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What there is to say about all listeners of a Gateway. Pure.
///
/// @param own those of the Gateway
/// @param sets those that others want to add, the most important first
record ListenerVerdicts(List<ListenerVerdict> own, List<SetVerdict> sets) {
    /// Whether the Gateway lets somebody add listeners.
    enum Permission {
        ALLOWED,
        NOT_ALLOWED
    }

    /// @param listeners empty when the set is not allowed
    record SetVerdict(ListenerSetObject set, Permission permission, List<ListenerVerdict> listeners) {
        SetVerdict {
            listeners = List.copyOf(listeners);
        }
    }

    ListenerVerdicts {
        own = List.copyOf(own);
        sets = List.copyOf(sets);
    }

    /// @param sets that name the Gateway, in any order
    /// @param allowed which of them it allows
    static ListenerVerdicts of(
            GatewayObject gateway,
            List<ListenerSetObject> sets,
            Predicate<ListenerSetObject> allowed,
            GatewayProfile profile,
            Certificates certificates) {
        var conflicts = new ListenerConflicts();
        var judge = new ListenerJudge(gateway, profile, certificates);
        var own = judge.judge(
                new Certificates.Referrer("Gateway", gateway.namespace()), conflicts.next(gateway.listeners()));
        var others = new ArrayList<SetVerdict>();
        sets.stream().sorted(ListenerSetObject.IMPORTANT_FIRST).forEach(set -> {
            var referrer = new Certificates.Referrer(
                    ListenerSetManifest.KIND, set.manifest().namespace());
            others.add(
                    allowed.test(set)
                            ? new SetVerdict(
                                    set,
                                    Permission.ALLOWED,
                                    judge.judge(
                                            referrer,
                                            conflicts.next(set.manifest().listeners())))
                            : new SetVerdict(set, Permission.NOT_ALLOWED, List.of()));
        });
        return new ListenerVerdicts(own, others);
    }

    /// All that may be served, those of the Gateway first.
    List<Listener> listeners() {
        return Stream.concat(
                        own.stream(),
                        sets.stream().flatMap(set -> set.listeners().stream()).filter(ListenerVerdict::isAccepted))
                .map(ListenerVerdict::listener)
                .toList();
    }
}
