// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.Blob;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.model.peering.ServiceSummary.LocalityShare;
import io.fathom.model.peering.ServiceSummary.NameScope;
import io.fathom.wire.peering.ExportCodec;
import io.fathom.wire.proto.fleet.ServiceBody;
import io.fathom.wire.proto.fleet.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Summaries of services to the facts that travel, and back. What comes from others is checked here; what has passed
/// once need not be checked again, as equal bytes mean the same. Thread-safe.
public final class ServiceFactCodec {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern ACCOUNT = Pattern.compile("([a-z0-9][-a-z0-9]{0,62})?/([a-z0-9][-.a-z0-9]{0,252})?");
    private static final Pattern WORD = Pattern.compile("[A-Za-z]{0,63}");
    private static final Pattern PLACE = Pattern.compile("[-A-Za-z0-9_.]{0,63}");
    private static final int MOST_PORTS = 256;
    private static final int MOST_ACCOUNTS = 1024;
    private static final int MOST_SHARES = 1024;
    private static final int MOST_ENDPOINTS = 10_000_000;
    /// In the order of their numbers.
    private static final List<AppProtocol> PROTOCOLS = List.of(
            AppProtocol.UNKNOWN,
            AppProtocol.HTTP11,
            AppProtocol.HTTP2,
            AppProtocol.GRPC,
            AppProtocol.TCP,
            AppProtocol.TLS);

    private ServiceFactCodec() {}

    /// A summary as it travels.
    ///
    /// @param exported since when, in seconds since 1970
    public static ServiceFact fact(ServiceSummary service, long exported) {
        var body = ServiceBody.newBuilder()
                .setDistribution(service.distribution())
                .setScope(
                        switch (service.scope()) {
                            case SHARED_NAME -> ServiceBody.Scope.SHARED_NAME;
                            case MESH_NAME -> ServiceBody.Scope.MESH_NAME;
                            case BOTH_NAMES -> ServiceBody.Scope.BOTH_NAMES;
                        });
        for (var port : service.ports()) {
            body.addPorts(port.servicePort())
                    .addPorts(port.targetPort())
                    .addPorts(PROTOCOLS.indexOf(port.appProtocol()));
        }
        service.export().ifPresent(export -> body.setExport(ByteString.copyFrom(ExportCodec.bytes(export))));
        for (var account : service.accounts()) {
            body.addAccounts(shorten(account, service));
        }
        return new ServiceFact(
                service.namespace(),
                service.name(),
                Blob.copyOf(body.build().toByteArray()),
                spread(service.total(), service.shares()),
                exported);
    }

    private static String shorten(String account, ServiceSummary service) {
        var slash = account.indexOf('/');
        var namespace = account.substring(0, slash);
        var name = account.substring(slash + 1);
        return (namespace.equals(service.namespace()) ? "" : namespace)
                + "/"
                + (name.equals(service.name()) ? "" : name);
    }

    private static Blob spread(int total, List<LocalityShare> shares) {
        var spread = Spread.newBuilder().setTotal(total);
        for (var share : shares) {
            spread.addShares(Spread.Share.newBuilder()
                    .setRegion(share.locality().region())
                    .setZone(share.locality().zone())
                    .setSubzone(share.locality().subzone())
                    .setReady(share.ready()));
        }
        return Blob.copyOf(spread.build().toByteArray());
    }

    /// What [#fact] was made of.
    ///
    /// @throws ProblemException when it is not what [#fact] makes
    public static ServiceSummary summary(String namespace, String name, Blob body, Blob spread) {
        var what = namespace + "/" + name;
        var common = body(what, body);
        var numbers = spread(what, spread);
        var ports = new ArrayList<Port>(common.getPortsCount() / 3);
        for (var i = 0; i < common.getPortsCount(); i += 3) {
            ports.add(new Port(common.getPorts(i), common.getPorts(i + 1), PROTOCOLS.get(common.getPorts(i + 2))));
        }
        return new ServiceSummary(
                namespace,
                name,
                ports,
                numbers.getSharesList().stream()
                        .map(share -> new LocalityShare(
                                new Locality(share.getRegion(), share.getZone(), share.getSubzone()), share.getReady()))
                        .toList(),
                numbers.getTotal(),
                common.getAccountsList().stream()
                        .map(account -> lengthen(account, namespace, name))
                        .toList(),
                switch (common.getScope()) {
                    case MESH_NAME -> NameScope.MESH_NAME;
                    case BOTH_NAMES -> NameScope.BOTH_NAMES;
                    case SHARED_NAME, UNRECOGNIZED -> NameScope.SHARED_NAME;
                },
                common.getDistribution(),
                common.getExport().isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                ExportCodec.export(what, common.getExport().toByteArray())));
    }

    private static String lengthen(String account, String namespace, String name) {
        var slash = account.indexOf('/');
        return (slash == 0 ? namespace : account.substring(0, slash))
                + "/"
                + (slash == account.length() - 1 ? name : account.substring(slash + 1));
    }

    /// Checks names that others have sent.
    ///
    /// @throws ProblemException when they are none
    public static void checkNames(String namespace, String name) {
        check(
                LABEL.matcher(namespace).matches() && LABEL.matcher(name).matches(),
                shown(namespace + "/" + name),
                "is no namespace/name");
    }

    /// Checks a body that others have sent.
    ///
    /// @throws ProblemException when it is none, or not written as [#fact] does
    static ServiceBody body(String service, Blob blob) {
        try {
            var bytes = blob.bytes();
            var body = ServiceBody.parseFrom(bytes);
            check(body.getPortsCount() % 3 == 0 && body.getPortsCount() <= 3 * MOST_PORTS, service, "has torn ports");
            for (var i = 0; i < body.getPortsCount(); i += 3) {
                check(isPort(body.getPorts(i)) && body.getPorts(i) > 0, service, "has a port that is none");
                check(isPort(body.getPorts(i + 1)), service, "has a port that leads nowhere");
                check(
                        body.getPorts(i + 2) >= 0 && body.getPorts(i + 2) < PROTOCOLS.size(),
                        service,
                        "has a protocol that is not known here");
            }
            check(body.getAccountsCount() <= MOST_ACCOUNTS, service, "has too many accounts");
            for (var account : body.getAccountsList()) {
                check(
                        ACCOUNT.matcher(account).matches(),
                        service,
                        "has an account that is no namespace/name of its own cluster");
            }
            check(body.getScope() != ServiceBody.Scope.UNRECOGNIZED, service, "has a scope that is not known here");
            check(WORD.matcher(body.getDistribution()).matches(), service, "has a distribution that is no word");
            if (!body.getExport().isEmpty()) {
                var _ = ExportCodec.export(service, body.getExport().toByteArray());
            }
            check(body.toByteString().size() == bytes.length, service, "is not written in the usual form");
            return body;
        } catch (InvalidProtocolBufferException e) {
            throw malformed(service, "cannot be read: " + e.getMessage());
        }
    }

    /// Checks numbers of endpoints that others have sent.
    ///
    /// @throws ProblemException when they are none
    static Spread spread(String service, Blob blob) {
        try {
            var bytes = blob.bytes();
            var spread = Spread.parseFrom(bytes);
            var ready = 0L;
            check(spread.getSharesCount() <= MOST_SHARES, service, "has endpoints in too many places");
            for (var share : spread.getSharesList()) {
                check(share.getReady() > 0, service, "has a place without endpoints");
                check(
                        PLACE.matcher(share.getRegion()).matches()
                                && PLACE.matcher(share.getZone()).matches()
                                && PLACE.matcher(share.getSubzone()).matches(),
                        service,
                        "has endpoints in a place that is none");
                ready += share.getReady();
            }
            check(
                    ready <= MOST_ENDPOINTS && spread.getTotal() >= 0 && spread.getTotal() <= MOST_ENDPOINTS,
                    service,
                    "has numbers of endpoints that make no sense");
            check(spread.toByteString().size() == bytes.length, service, "is not written in the usual form");
            return spread;
        } catch (InvalidProtocolBufferException e) {
            throw malformed(service, "cannot be read: " + e.getMessage());
        }
    }

    /// A number for the ports of a body, equal for equal ones.
    ///
    /// @throws ProblemException when it is none, or not written as [#fact] does
    public static int ports(Blob body) {
        return body("a service", body).getPortsList().hashCode();
    }

    /// How many endpoints are ready.
    ///
    /// @throws ProblemException when these are no numbers of endpoints
    public static int ready(Blob spread) {
        return spread("a service", spread).getSharesList().stream()
                .mapToInt(Spread.Share::getReady)
                .sum();
    }

    private static boolean isPort(int number) {
        return number >= 0 && number <= 65535;
    }

    private static void check(boolean fine, String service, String objection) {
        if (!fine) {
            throw malformed(service, objection);
        }
    }

    private static String shown(String text) {
        var plain = text.replaceAll("\\p{Cntrl}", "?");
        return plain.length() <= 128 ? plain : plain.substring(0, 128);
    }

    private static ProblemException malformed(String service, String objection) {
        return new ProblemException(Problem.ofInput(
                "service-malformed",
                service + " " + objection,
                "check that both sides run versions that know each other"));
    }
}
