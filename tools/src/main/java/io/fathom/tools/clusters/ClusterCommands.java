// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.clusters;

import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Command;
import io.fathom.tools.args.Flag;
import io.fathom.tools.install.Place;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// `create-remote-secret`, with upstream's flags.
public final class ClusterCommands {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    private static final Flag ACCOUNT = Flag.of("--service-account", "NAME", """
            The service account whose token is used. [default istio-reader-service-account]""");
    private static final Flag CREATE_ACCOUNT = Flag.of("--create-service-account", "BOOL", """
            Make that account, and let it read what the mesh needs, if it is not there. [default true]""");
    private static final Flag NAME = Flag.of("--name", "NAME", """
            The id of the cluster. [default the uid of its namespace kube-system]""");
    private static final Flag SERVER = Flag.of("--server", "URL", """
            How the other cluster reaches the API server. [default as in the kubeconfig]""");
    private static final Flag SERVER_NAME =
            Flag.of("--tls-server-name", "NAME", "The name in the certificate of that server, if it is another.");
    private static final Flag SECRET_NAME = Flag.of("--secret-name", "NAME", """
            The Secret with the token of the account. [default ACCOUNT-istio-remote-secret-token]""");
    private static final Flag AUTH_TYPE =
            Flag.of("--auth-type", "TYPE", "bearer-token or plugin. [default bearer-token]");
    private static final Flag PLUGIN =
            Flag.of("--auth-plugin-name", "NAME", "The provider of credentials, with plugin.");
    private static final Flag PLUGIN_CONFIG =
            Flag.of("--auth-plugin-config", "KEY=VALUE", "Its configuration. May be repeated.");
    private static final Flag TYPE = Flag.of("--type", "TYPE", "remote or config. [default remote]");

    private final Map<String, String> environment;

    public ClusterCommands(Map<String, String> environment) {
        this.environment = environment;
    }

    public List<Command> commands() {
        var flags = new ArrayList<>(Place.FLAGS);
        flags.addAll(List.of(
                NAME,
                SERVER,
                SERVER_NAME,
                ACCOUNT,
                CREATE_ACCOUNT,
                SECRET_NAME,
                AUTH_TYPE,
                PLUGIN,
                PLUGIN_CONFIG,
                TYPE));
        return List.of(new Command("create-remote-secret", List.of(), "", """
                        Write a Secret with which other clusters read this one.
                        Apply it in the namespace of the other cluster's control plane:
                        fathomctl create-remote-secret --context east --name east | kubectl apply --context west -f -""", flags, this::create));
    }

    private int create(Arguments arguments, PrintWriter out) {
        var place = new Place(arguments, environment);
        try (var client = place.client()) {
            var request = request(arguments);
            var reader = new ReaderAccount(client, place.namespace(), request.account());
            if (request.createsAccount()) {
                reader.create();
            }
            var cluster = request.name().isEmpty() ? reader.clusterUid() : request.name();
            var server = request.server().isEmpty() ? client.server().toString() : request.server();
            var secret = new RemoteSecret(cluster, place.namespace(), server, request.serverName());
            out.print(
                    switch (request.auth()) {
                        case BEARER_TOKEN -> {
                            var token = reader.token(request.tokenSecret());
                            yield secret.text(request.form(), token.authority(), RemoteSecret.token(token.token()));
                        }
                        case PLUGIN ->
                            secret.text(
                                    request.form(),
                                    reader.token(request.tokenSecret()).authority(),
                                    RemoteSecret.plugin(request.plugin(), request.pluginConfig()));
                    });
            return 0;
        }
    }

    private static RemoteSecretRequest request(Arguments arguments) {
        var name = arguments.value(NAME).orElse("");
        if (!name.isEmpty() && !LABEL.matcher(name).matches()) {
            throw RemoteSecretRequest.bad(
                    "'" + name + "' is no id of a cluster", "use small letters, digits and hyphens, at most 63");
        }
        return new RemoteSecretRequest(
                name,
                arguments.value(SERVER).orElse(""),
                arguments.value(SERVER_NAME).orElse(""),
                arguments.value(ACCOUNT).orElse("istio-reader-service-account"),
                RemoteSecretRequest.flag(arguments.value(CREATE_ACCOUNT).orElse("true"), CREATE_ACCOUNT.name()),
                arguments.value(SECRET_NAME).orElse(""),
                RemoteSecretRequest.auth(arguments.value(AUTH_TYPE).orElse("bearer-token")),
                arguments.value(PLUGIN).orElse(""),
                RemoteSecretRequest.pairs(arguments.all(PLUGIN_CONFIG)),
                RemoteSecretRequest.form(arguments.value(TYPE).orElse("remote")));
    }
}
