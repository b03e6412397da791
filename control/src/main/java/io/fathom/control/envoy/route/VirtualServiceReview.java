package io.fathom.control.envoy.route;

import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.Remark;
import io.fathom.wire.kube.VirtualServiceManifest;
import io.fathom.wire.kube.VirtualServiceManifest.Destination;
import io.fathom.wire.kube.VirtualServiceManifest.HttpAction;
import io.fathom.wire.kube.VirtualServiceManifest.Mirror;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What the author of a VirtualService should know: which of its requests nobody takes, and which of its rules nobody
/// comes to. Pure.
public final class VirtualServiceReview {
    private VirtualServiceReview() {}

    /// Empty when all is well.
    ///
    /// @param isSubset whether some DestinationRule has a subset of that name for a service
    /// @param isDelegate whether there is a VirtualService `namespace/name` to delegate to
    public static Optional<Problem> of(
            VirtualServiceManifest owner,
            Destinations destinations,
            BiPredicate<MeshService, String> isSubset,
            Predicate<String> isDelegate) {
        var unknown = new TreeSet<String>();
        destinations(owner)
                .filter(to -> Backend.host(destinations, owner, to.host())
                        .filter(service ->
                                to.port() == 0 || service.port(to.port()).isPresent())
                        .isEmpty())
                .forEach(to -> unknown.add(to.port() == 0 ? to.host() : to.host() + ":" + to.port()));
        if (!unknown.isEmpty()) {
            return problem(
                    owner,
                    "virtual-service-destination",
                    "sends to " + String.join(", ", unknown) + ", which no Service or ServiceEntry is",
                    "correct the host or the port; a name without dots means a Service of the same namespace");
        }
        var subsets = new TreeSet<String>();
        destinations(owner)
                .filter(to -> !to.subset().isEmpty())
                .filter(to -> Backend.host(destinations, owner, to.host())
                        .filter(service -> isSubset.test(service, to.subset()))
                        .isEmpty())
                .forEach(to -> subsets.add(to.subset() + " of " + to.host()));
        if (!subsets.isEmpty()) {
            return problem(
                    owner,
                    "virtual-service-subset",
                    "sends to the subset " + String.join(", ", subsets) + ", which no DestinationRule defines",
                    "add it to subsets of a DestinationRule for that host");
        }
        return owner.http().stream()
                .map(VirtualServiceManifest.HttpRule::action)
                .filter(HttpAction.Delegate.class::isInstance)
                .map(action -> (HttpAction.Delegate) action)
                .map(delegate -> delegate.namespace() + "/" + delegate.name())
                .filter(path -> !isDelegate.test(path))
                .findFirst()
                .flatMap(path -> problem(
                        owner,
                        "virtual-service-delegate",
                        "delegates to " + path + ", which is no VirtualService without hosts",
                        "create it, or correct its name"))
                .or(() -> remarks(owner).stream()
                        .findFirst()
                        .map(remark ->
                                remark.about("VirtualService " + owner.key().path())));
    }

    /// What can be told from it alone.
    public static List<Remark> remarks(VirtualServiceManifest owner) {
        var remarks = new ArrayList<Remark>();
        for (var i = 0; i < owner.http().size(); i++) {
            var matches = owner.http().get(i).matches();
            if (matches.isEmpty() && i < owner.http().size() - 1) {
                remarks.add(Remark.warning(
                        "spec.http[" + i + "]",
                        "virtual-service-unreachable",
                        "matches every request: no request comes to the rules after it",
                        "move it to the end, or give it a match"));
            }
            if (!matches.isEmpty()
                    && matches.stream()
                            .noneMatch(match -> match.callers().sourceLabels().isEmpty())) {
                remarks.add(Remark.warning(
                        "spec.http[" + i + "]",
                        "virtual-service-source-labels",
                        "matches by sourceLabels, which no proxy of this mesh sees: it has no effect",
                        "match by sourceNamespace, or by something in the request"));
            }
        }
        return remarks;
    }

    private static Stream<Destination> destinations(VirtualServiceManifest owner) {
        return Stream.of(
                        owner.http().stream()
                                .map(VirtualServiceManifest.HttpRule::action)
                                .flatMap(action -> action instanceof HttpAction.Forward(var to, var _)
                                        ? to.stream()
                                        : Stream.empty()),
                        owner.http().stream()
                                .flatMap(rule -> rule.mirrors().stream())
                                .map(Mirror::to),
                        owner.tls().stream().flatMap(rule -> rule.to().stream()),
                        owner.tcp().stream().flatMap(rule -> rule.to().stream()))
                .flatMap(each -> each);
    }

    private static Optional<Problem> problem(VirtualServiceManifest owner, String code, String what, String fix) {
        return Optional.of(Problem.ofInput(code, "VirtualService " + owner.key().path() + " " + what, fix));
    }
}
