// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.peering.FeedDown;
import io.fathom.model.peering.FeedUp;
import io.fathom.model.peering.ResourceDelta;
import io.fathom.wire.proto.feed.Forget;
import io.fathom.wire.proto.feed.Freshness;
import io.fathom.wire.proto.feed.Hello;
import io.fathom.wire.proto.feed.Opened;
import io.fathom.wire.proto.feed.Origin;
import io.fathom.wire.proto.feed.Refused;
import io.fathom.wire.proto.feed.Row;
import io.fathom.wire.proto.feed.Settled;
import io.fathom.wire.proto.feed.Taken;
import io.fathom.wire.xds.store.XdsResource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Messages of the feed to and from the wire. Thread-safe.
final class FeedCodec {
    private FeedCodec() {}

    static io.fathom.wire.proto.feed.FeedUp encode(FeedUp message) {
        var encoded = io.fathom.wire.proto.feed.FeedUp.newBuilder();
        switch (message) {
            case FeedUp.Hello(var instance, var software, var cluster) ->
                encoded.setHello(Hello.newBuilder()
                        .setInstance(instance)
                        .setSoftware(software)
                        .setCluster(cluster));
            case FeedUp.Origin origin -> encoded.setOrigin(origin(origin));
            case FeedUp.Forget(var cluster) ->
                encoded.setForget(Forget.newBuilder().setCluster(cluster));
            case FeedUp.Settled() -> encoded.setSettled(Settled.getDefaultInstance());
            case FeedUp.Freshness(var server, var clusters) -> {
                var ages = Freshness.newBuilder()
                        .setServer(server.orElse(Duration.ZERO).toMillis());
                clusters.forEach((cluster, age) -> ages.putClusters(cluster, age.toMillis()));
                encoded.setFreshness(ages);
            }
        }
        return encoded.build();
    }

    private static Origin origin(FeedUp.Origin origin) {
        var encoded = Origin.newBuilder()
                .setCluster(origin.cluster())
                .addAllServices(rows(origin.services().changed(), SummaryCodec::resource))
                .addAllGone(origin.services().gone())
                .addAllEndpoints(rows(origin.endpoints().changed(), SummaryCodec::resource))
                .addAllGoneEndpoints(origin.endpoints().gone())
                .setBegins(origin.part().begins())
                .setEnds(origin.part().ends());
        origin.about().ifPresent(about -> encoded.setAbout(bytes(SummaryCodec.resource(about))));
        return encoded.build();
    }

    private static <T> List<Row> rows(List<T> values, Function<T, XdsResource> codec) {
        return values.stream()
                .map(codec)
                .map(resource -> Row.newBuilder()
                        .setName(resource.name())
                        .setBody(bytes(resource))
                        .build())
                .toList();
    }

    private static ByteString bytes(XdsResource resource) {
        return UnsafeByteOperations.unsafeWrap(resource.body()); // a copy of our own
    }

    /// Nothing for a message that newer agents know.
    ///
    /// @param refusals hears of rows that make no sense; the rest of the message counts
    static Optional<FeedUp> decode(io.fathom.wire.proto.feed.FeedUp message, Consumer<FeedDown> refusals) {
        return switch (message.getMessageCase()) {
            case HELLO ->
                Optional.of(new FeedUp.Hello(
                        message.getHello().getInstance(),
                        message.getHello().getSoftware(),
                        message.getHello().getCluster()));
            case ORIGIN -> Optional.of(origin(message.getOrigin(), refusals));
            case FORGET -> Optional.of(new FeedUp.Forget(message.getForget().getCluster()));
            case SETTLED -> Optional.of(new FeedUp.Settled());
            case FRESHNESS ->
                Optional.of(new FeedUp.Freshness(
                        Optional.of(message.getFreshness().getServer())
                                .filter(millis -> millis > 0)
                                .map(Duration::ofMillis),
                        message.getFreshness().getClustersMap().entrySet().stream()
                                .collect(Collectors.toMap(
                                        entry -> entry.getKey(), entry -> Duration.ofMillis(entry.getValue())))));
            case MESSAGE_NOT_SET -> Optional.empty();
        };
    }

    private static FeedUp.Origin origin(Origin origin, Consumer<FeedDown> refusals) {
        var cluster = origin.getCluster();
        if (cluster.isEmpty()) {
            throw new ProblemException(Problem.ofInput(
                    "feed-without-cluster", "the agent does not say whose services these are", "update the agent"));
        }
        return new FeedUp.Origin(
                cluster,
                origin.getAbout().isEmpty() ? Optional.empty() : Optional.of(SummaryCodec.cluster(origin.getAbout())),
                new ResourceDelta<>(
                        values(cluster, origin.getServicesList(), SummaryCodec::service, refusals),
                        origin.getGoneList()),
                new ResourceDelta<>(
                        values(cluster, origin.getEndpointsList(), SummaryCodec::endpoints, refusals),
                        origin.getGoneEndpointsList()),
                FeedUp.OriginPart.of(origin.getBegins(), origin.getEnds()));
    }

    private static <T> List<T> values(
            String cluster, List<Row> rows, BiFunction<String, ByteString, T> codec, Consumer<FeedDown> refusals) {
        var values = new ArrayList<T>(rows.size());
        for (var row : rows) {
            try {
                values.add(codec.apply(row.getName(), row.getBody()));
            } catch (ProblemException e) {
                refusals.accept(
                        new FeedDown.Refused(cluster, row.getName(), e.problem().message()));
            }
        }
        return values;
    }

    static io.fathom.wire.proto.feed.FeedDown encode(FeedDown message) {
        var encoded = io.fathom.wire.proto.feed.FeedDown.newBuilder();
        switch (message) {
            case FeedDown.Opened(var software, var cluster) ->
                encoded.setOpened(Opened.newBuilder().setSoftware(software).setCluster(cluster));
            case FeedDown.Taken(var messages) ->
                encoded.setTaken(Taken.newBuilder().setMessages(messages));
            case FeedDown.Refused(var cluster, var resource, var reason) ->
                encoded.setRefused(Refused.newBuilder()
                        .setCluster(cluster)
                        .setResource(resource)
                        .setReason(reason));
            case FeedDown.Reach(var change) -> encoded.setReach(ReachRows.encode(change));
        }
        return encoded.build();
    }

    /// Nothing for a message that newer control planes know.
    static Optional<FeedDown> decode(io.fathom.wire.proto.feed.FeedDown message) {
        return switch (message.getMessageCase()) {
            case OPENED ->
                Optional.of(new FeedDown.Opened(
                        message.getOpened().getSoftware(), message.getOpened().getCluster()));
            case TAKEN -> Optional.of(new FeedDown.Taken(message.getTaken().getMessages()));
            case REFUSED ->
                Optional.of(new FeedDown.Refused(
                        message.getRefused().getCluster(),
                        message.getRefused().getResource(),
                        message.getRefused().getReason()));
            case REACH -> Optional.of(new FeedDown.Reach(ReachRows.decode(message.getReach())));
            case MESSAGE_NOT_SET -> Optional.empty();
        };
    }
}
