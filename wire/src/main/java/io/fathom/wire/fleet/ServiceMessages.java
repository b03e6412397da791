// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.model.fleet.Blob;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.model.fleet.ServiceView;
import io.fathom.model.fleet.ServiceView.OriginShare;
import io.fathom.wire.proto.fleet.ExportedService;
import io.fathom.wire.proto.fleet.ServiceDelta;
import io.fathom.wire.proto.fleet.ViewDelta;
import io.fathom.wire.proto.fleet.WeightDelta;
import io.fathom.wire.proto.fleet.WeightView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Messages about services. What is said more than once in one is said in front of it and referred to.
final class ServiceMessages {
    private ServiceMessages() {}

    /// Positions of texts. For one message.
    private static final class Words {
        private final Map<String, Integer> positions = new HashMap<>();
        private final List<String> list = new ArrayList<>();

        int position(String word) {
            return positions.computeIfAbsent(word, it -> {
                list.add(it);
                return list.size() - 1;
            });
        }
    }

    static ServiceDelta encode(FleetUp.Services said) {
        var message = ServiceDelta.newBuilder()
                .setVersion(FleetCodec.version(said.version()))
                .setReplace(said.part() == FleetUp.ServicePart.SNAPSHOT)
                .addAllRemovedPaths(said.removed());
        var namespaces = new Words();
        var bodies = new BlobDictionary(message::addBodies);
        var spreads = new BlobDictionary(message::addSpreads);
        for (var fact : said.changed()) {
            message.addUpsert(ExportedService.newBuilder()
                    .setNamespace(namespaces.position(fact.namespace()))
                    .setName(fact.name())
                    .setBody(bodies.position(fact.body()))
                    .setSpread(spreads.position(fact.spread()))
                    .setExportedAt(fact.exported()));
        }
        return message.addAllNamespaces(namespaces.list).build();
    }

    static FleetUp.Services decode(ServiceDelta message) {
        var bodies = BlobDictionary.read(message.getBodiesList());
        var spreads = BlobDictionary.read(message.getSpreadsList());
        var facts = new ArrayList<ServiceFact>(message.getUpsertCount());
        for (var one : message.getUpsertList()) {
            facts.add(new ServiceFact(
                    BlobDictionary.at(message.getNamespacesList(), one.getNamespace()),
                    one.getName(),
                    BlobDictionary.at(bodies, one.getBody()),
                    BlobDictionary.at(spreads, one.getSpread()),
                    one.getExportedAt()));
        }
        return new FleetUp.Services(
                facts,
                message.getRemovedPathsList(),
                message.getReplace() ? FleetUp.ServicePart.SNAPSHOT : FleetUp.ServicePart.DELTA,
                FleetCodec.version(message.getVersion()));
    }

    static WeightDelta encode(FleetUp.Weights said) {
        var message = WeightDelta.newBuilder().setVersion(FleetCodec.version(said.version()));
        var spreads = new BlobDictionary(message::addSpreads);
        for (var weight : said.weights()) {
            message.addServices(weight.key()).addSpread(spreads.position(weight.spread()));
        }
        return message.build();
    }

    static FleetUp.Weights decode(WeightDelta message) {
        var spreads = BlobDictionary.read(message.getSpreadsList());
        var weights = new ArrayList<FleetUp.ServiceWeight>(message.getServicesCount());
        for (var i = 0; i < message.getServicesCount(); i++) {
            weights.add(new FleetUp.ServiceWeight(
                    message.getServices(i), BlobDictionary.at(spreads, BlobDictionary.at(message.getSpreadList(), i))));
        }
        return new FleetUp.Weights(weights, FleetCodec.version(message.getVersion()));
    }

    static ViewDelta encode(FleetDown.Views said) {
        var message = ViewDelta.newBuilder();
        var namespaces = new Words();
        var bodies = new BlobDictionary(message::addBodies);
        var spreads = new BlobDictionary(message::addSpreads);
        for (var view : said.views()) {
            var one = io.fathom.wire.proto.fleet.ServiceView.newBuilder()
                    .setNamespace(namespaces.position(view.namespace()))
                    .setName(view.name())
                    .setFolded(view.folded());
            var groups = new LinkedHashMap<Blob, io.fathom.wire.proto.fleet.ServiceView.Group.Builder>();
            for (var backend : view.backends()) {
                groups.computeIfAbsent(
                                backend.body(),
                                body -> io.fathom.wire.proto.fleet.ServiceView.Group.newBuilder()
                                        .setBody(bodies.position(body)))
                        .addOrigins(backend.origin())
                        .addSpreads(spreads.position(backend.spread()));
            }
            groups.values().forEach(one::addGroups);
            message.addUpsert(one);
        }
        return message.addAllNamespaces(namespaces.list).build();
    }

    static FleetDown.Views decode(ViewDelta message) {
        var bodies = BlobDictionary.read(message.getBodiesList());
        var spreads = BlobDictionary.read(message.getSpreadsList());
        var views = new ArrayList<ServiceView>(message.getUpsertCount());
        for (var one : message.getUpsertList()) {
            var backends = new ArrayList<OriginShare>();
            for (var group : one.getGroupsList()) {
                var body = BlobDictionary.at(bodies, group.getBody());
                for (var i = 0; i < group.getOriginsCount(); i++) {
                    backends.add(new OriginShare(
                            group.getOrigins(i),
                            body,
                            BlobDictionary.at(spreads, BlobDictionary.at(group.getSpreadsList(), i))));
                }
            }
            views.add(new ServiceView(
                    BlobDictionary.at(message.getNamespacesList(), one.getNamespace()),
                    one.getName(),
                    backends,
                    one.getFolded()));
        }
        return new FleetDown.Views(views);
    }

    static WeightView encode(FleetDown.Weights said) {
        var message = WeightView.newBuilder();
        var spreads = new BlobDictionary(message::addSpreads);
        for (var weight : said.weights()) {
            message.addServices(weight.key()).addOrigins(weight.origin()).addSpread(spreads.position(weight.spread()));
        }
        return message.build();
    }

    static FleetDown.Weights decode(WeightView message) {
        var spreads = BlobDictionary.read(message.getSpreadsList());
        var weights = new ArrayList<FleetDown.ViewWeight>(message.getServicesCount());
        for (var i = 0; i < message.getServicesCount(); i++) {
            weights.add(new FleetDown.ViewWeight(
                    message.getServices(i),
                    BlobDictionary.at(message.getOriginsList(), i),
                    BlobDictionary.at(spreads, BlobDictionary.at(message.getSpreadList(), i))));
        }
        return new FleetDown.Weights(weights);
    }

    static io.fathom.wire.proto.fleet.Interest encode(Interest interest) {
        var message = io.fathom.wire.proto.fleet.Interest.newBuilder().setMaxOrigins(interest.mostOrigins());
        return switch (interest.scope()) {
            case Interest.InterestScope.Everything() -> message.build();
            case Interest.InterestScope.Namespaces(var names) ->
                message.setMode(io.fathom.wire.proto.fleet.Interest.Mode.NAMESPACES)
                        .addAllNames(names)
                        .build();
            case Interest.InterestScope.Listed(var paths) ->
                message.setMode(io.fathom.wire.proto.fleet.Interest.Mode.LIST)
                        .addAllNames(paths)
                        .build();
        };
    }

    /// A mode that is not known here is taken for an interest in nothing.
    static Interest decode(io.fathom.wire.proto.fleet.Interest message) {
        var names = Set.copyOf(message.getNamesList());
        var scope = switch (message.getMode()) {
            case ALL -> new Interest.InterestScope.Everything();
            case NAMESPACES -> new Interest.InterestScope.Namespaces(names);
            case LIST -> new Interest.InterestScope.Listed(names);
            case UNRECOGNIZED -> new Interest.InterestScope.Listed(Set.of());
        };
        return new Interest(scope, message.getMaxOrigins() < 1 ? Interest.USUAL_ORIGINS : message.getMaxOrigins());
    }
}
