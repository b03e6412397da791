package io.fathom.control.envoy.route;

import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.wire.kube.VirtualServiceManifest;
import io.fathom.wire.kube.VirtualServiceManifest.Destination;
import io.fathom.wire.kube.VirtualServiceManifest.HttpAction;
import io.fathom.wire.kube.VirtualServiceManifest.Mirror;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What the author of a VirtualService should know: which of its requests nobody takes. It has no conditions to say so.
public final class VirtualServiceReview {
    private VirtualServiceReview() {}

    /// Empty when all is well.
    ///
    /// @param isDelegate whether there is a VirtualService `namespace/name` to delegate to
    public static Optional<Problem> of(
            VirtualServiceManifest owner, Destinations destinations, Predicate<String> isDelegate) {
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
                        "create it, or correct its name"));
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
