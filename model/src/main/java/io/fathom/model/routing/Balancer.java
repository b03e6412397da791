// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.Workload;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Chooses an endpoint: draws two by weight among the nearest and takes the less busy for its weight. A draw looks at
/// two endpoints, however many there are. Thread-safe if the [Load] is.
public final class Balancer {
    private static final int DRAWS = 4;

    private final Load load;

    public Balancer(Load load) {
        this.load = load;
    }

    /// An endpoint and the port it takes the traffic on.
    public record Choice(Workload workload, int port) {}

    /// Where the endpoint stands in its set.
    record Draw(Member member, int port) {}

    /// Chooses for a client that calls a port of a service; endpoints already tried in vain are left out, and when all
    /// of the nearest are, the next nearest serve.
    public Optional<Choice> choose(
            MeshView view, String serviceKey, int port, Workload client, Set<String> tried, RandomGenerator random) {
        var backends = view.backends(serviceKey);
        if (backends == null) {
            return Optional.empty();
        }
        return backends.eligible(client, port, Eligible.Purpose.TRAFFIC)
                .map(set -> draw(set, tried, random))
                .map(draw -> new Choice(draw.member.workload(), draw.port));
    }

    /// All that [#choose] may return when nothing was tried yet, for explanations.
    public static List<Workload> nearest(MeshView view, String serviceKey, int port, Workload client) {
        var backends = view.backends(serviceKey);
        if (backends == null) {
            return List.of();
        }
        return backends.eligible(client, port, Eligible.Purpose.TRAFFIC).stream()
                .flatMap(set -> List.of(set.members).subList(0, set.nearest).stream())
                .map(Member::workload)
                .toList();
    }

    @Nullable
    Draw draw(Eligible set, Set<String> tried, RandomGenerator random) {
        if (set.isEmpty()) {
            return null;
        }
        var first = -1;
        for (int i = 0; i < DRAWS; i++) {
            var at = set.position(random.nextLong(set.weight()));
            if (tried.isEmpty() || !tried.contains(set.members[at].uid)) {
                if (first >= 0) {
                    return at(set, lessBusy(set, first, at));
                }
                first = at;
            }
        }
        return first >= 0 ? at(set, first) : search(set, tried, random);
    }

    private static Draw at(Eligible set, int position) {
        return new Draw(set.members[position], set.port(position));
    }

    private int lessBusy(Eligible set, int first, int second) {
        if (first == second) {
            return first;
        }
        var one = set.members[first];
        var other = set.members[second];
        var better = load.of(other.uid) * one.role.weight() < load.of(one.uid) * other.role.weight();
        return better ? second : first;
    }

    /// The rare case that nearly all were tried.
    private static @Nullable Draw search(Eligible set, Set<String> tried, RandomGenerator random) {
        var start = random.nextInt(set.nearest);
        for (int i = 0; i < set.nearest; i++) {
            var at = (start + i) % set.nearest;
            if (!tried.contains(set.members[at].uid)) {
                return at(set, at);
            }
        }
        for (int at = set.nearest; at < set.members.length; at++) {
            if (!tried.contains(set.members[at].uid)) {
                return at(set, at);
            }
        }
        return null;
    }
}
