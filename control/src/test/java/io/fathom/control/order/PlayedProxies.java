// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.order;

import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// Proxies that answer when a test says so. Each waypoint is known by the port of its address.
final class PlayedProxies implements Proxies {
    /// A question that is open.
    record Question(ObjectKey waypoint, Set<String> names, Consumer<Answer> done) {}

    final List<Question> questions = new ArrayList<>();
    final List<Runnable> nodeProxies = new ArrayList<>();
    final Map<String, Long> forgotten = new HashMap<>();
    final Set<ObjectKey> dismissed = new HashSet<>();
    final Map<ObjectKey, Presence> presence = new HashMap<>();
    final Set<String> notOffered = new HashSet<>();
    final Map<ObjectKey, Long> versions = new HashMap<>();
    int asked;

    static ObjectKey waypoint(GatewayAddress address) {
        return new ObjectKey("c1", "mesh", "w" + address.hbonePort());
    }

    /// The proxies of a waypoint answer all that they were asked.
    void answer(ObjectKey waypoint, Answer answer) {
        var own = questions.stream()
                .filter(question -> question.waypoint().equals(waypoint))
                .toList();
        questions.removeAll(own);
        own.forEach(question -> question.done().accept(answer));
    }

    void nodeProxiesAnswer() {
        var waiting = List.copyOf(nodeProxies);
        nodeProxies.clear();
        waiting.forEach(Runnable::run);
    }

    /// They are told something else.
    void publish(ObjectKey waypoint) {
        versions.merge(waypoint, 1L, Long::sum);
    }

    @Override
    public Set<ObjectKey> waypoints(Address address, Set<GatewayAddress> waypoints) {
        var result = new LinkedHashSet<ObjectKey>();
        waypoints.forEach(waypoint -> result.add(waypoint(waypoint)));
        return result;
    }

    @Override
    public Presence presence(ObjectKey waypoint) {
        return presence.getOrDefault(waypoint, Presence.ALL);
    }

    @Override
    public boolean offers(ObjectKey waypoint, Address address) {
        return !notOffered.contains(address.resourceName());
    }

    @Override
    public long version(ObjectKey waypoint) {
        return versions.getOrDefault(waypoint, 0L);
    }

    @Override
    public Wait whenServed(ObjectKey waypoint, Collection<Address> addresses, Consumer<Answer> done) {
        asked++;
        var names = new HashSet<String>();
        addresses.forEach(address -> names.add(address.resourceName()));
        var question = new Question(waypoint, names, done);
        questions.add(question);
        return () -> questions.remove(question);
    }

    @Override
    public Wait whenNodeProxiesKnow(Runnable done) {
        nodeProxies.add(done);
        return () -> nodeProxies.remove(done);
    }

    @Override
    public void forget(Map<String, Long> turns) {
        forgotten.putAll(turns);
    }

    @Override
    public void dismiss(Set<ObjectKey> waypoints) {
        dismissed.addAll(waypoints);
    }
}
