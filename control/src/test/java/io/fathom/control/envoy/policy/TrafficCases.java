// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

/// The policies of [PolicyTrafficTest]: each namespace is a case of its own.
final class TrafficCases {
    /// Its key set is fetched.
    static final TestIssuer A = new TestIssuer("https://a.example", "a1");

    /// Its key set is in no policy but one.
    static final TestIssuer B = new TestIssuer("https://b.example", "b1");

    private TrafficCases() {}

    static final String MESH = """
            trustDomain: mesh.example
            trustDomainAliases: [old.example]
            extensionProviders:
            - name: asks-http
              envoyExtAuthzHttp:
                service: infra/authz.infra.svc.cluster.local
                port: 9000
                timeout: 30s
                pathPrefix: /check
                includeRequestHeadersInCheck: [x-authz]
                includeAdditionalHeadersInCheck: {x-asked-by: mesh}
                headersToUpstreamOnAllow: [x-from-authz]
            - name: asks-grpc
              envoyExtAuthzGrpc: {service: grpc.authz.infra.svc.cluster.local, port: 9001, timeout: 30s}
            - name: nobody-there
              envoyExtAuthzHttp: {service: down.authz.infra.svc.cluster.local, port: 9000, statusOnError: "429", timeout: 1s}
            - name: logs
              something: {}
            """;

    static final String IDENTITY = """
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: identity}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}],
              rules: [
                {to: [{operation: {paths: [/principal]}}], from: [{source: {principals: [mesh.example/ns/shop/sa/web]}}]},
                {to: [{operation: {paths: [/local]}}], from: [{source: {principals: [cluster.local/ns/shop/sa/web]}}]},
                {to: [{operation: {paths: [/namespace]}}], from: [{source: {namespaces: [shop]}}]},
                {to: [{operation: {paths: [/namespaces]}}], when: [{key: source.namespace, values: ["team-*"]}]},
                {to: [{operation: {paths: [/account]}}], from: [{source: {serviceAccounts: [shop/web]}}]},
                {to: [{operation: {paths: [/own-account]}}], from: [{source: {serviceAccounts: [me]}}]},
                {to: [{operation: {paths: [/domain]}}], from: [{source: {trustDomains: [other.example]}}]},
                {to: [{operation: {paths: [/anybody]}}], from: [{source: {principals: ["*"]}}]},
                {to: [{operation: {paths: [/not]}}], from: [{source: {notNamespaces: [shop]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: addresses}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}],
              rules: [
                {to: [{operation: {paths: [/source]}}], from: [{source: {ipBlocks: [127.0.0.0/16]}}]},
                {to: [{operation: {paths: [/remote]}}], from: [{source: {remoteIpBlocks: [203.0.113.0/24]}}]}]}}
            """;

    static final String ACTIONS = """
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: d, namespace: deny-first}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}],
              action: DENY, rules: [{to: [{operation: {paths: [/both]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: deny-first}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}],
              rules: [{to: [{operation: {paths: [/both, /allowed]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: allow-none}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: audit}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}], action: AUDIT, rules: [{}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: paths}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}], action: DENY,
              rules: [{to: [{operation: {paths: [/admin, "/pre/*", "*.suffix", "/tenants/{*}/items/{**}"]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: requests}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}],
              rules: [
                {to: [{operation: {paths: [/method], methods: [GET, HEAD]}}]},
                {to: [{operation: {paths: [/header]}}], when: [{key: "request.headers[x-a]", values: [one]}]},
                {to: [{operation: {paths: [/port], ports: ["1"]}}]}]}}
            ---
            apiVersion: security.istio.io/v1
            kind: AuthorizationPolicy
            metadata: {name: d, namespace: dry-run, annotations: {istio.io/dry-run: "true"}}
            spec: {targetRefs: [{kind: Service, group: "", name: app}], action: DENY,
              rules: [{to: [{operation: {paths: [/denied]}}]}]}
            ---
            apiVersion: security.istio.io/v1
            kind: AuthorizationPolicy
            metadata: {name: a, namespace: dry-run, annotations: {istio.io/dry-run: "true"}}
            spec: {targetRefs: [{kind: Service, group: "", name: app}], rules: [{to: [{operation: {paths: [/only]}}]}]}
            """;

    static final String PLACES = """
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: no-policy}, spec: {
              selector: {matchLabels: {app: app}}, action: DENY, rules: [{to: [{operation: {paths: [/by-selector]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: b, namespace: no-policy}, spec: {
              targetRefs: [{kind: GatewayClass, group: gateway.networking.k8s.io, name: istio-waypoint}],
              action: DENY, rules: [{to: [{operation: {paths: [/by-stray-class]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: istio-system}, spec: {
              targetRefs: [{kind: GatewayClass, group: gateway.networking.k8s.io, name: istio-waypoint}],
              action: DENY, rules: [
                {from: [{source: {namespaces: [stranger]}}], to: [{operation: {paths: [/by-class]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: b, namespace: istio-system}, spec: {
              action: DENY, rules: [{to: [{operation: {paths: [/by-root]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: infra}, spec: {
              targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: waypoint}],
              action: DENY, rules: [
                {from: [{source: {namespaces: [stranger]}}], to: [{operation: {paths: [/by-gateway]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: edge}, spec: {
              selector: {matchLabels: {app: edge}}, action: DENY, rules: [{to: [{operation: {paths: [/by-selector]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: b, namespace: edge}, spec: {
              selector: {matchLabels: {app: x}}, action: DENY,
              rules: [{to: [{operation: {paths: [/by-other-selector]}}]}]}}
            """;

    static final String TCP = """
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: tcp-allow-http},
              spec: {targetRefs: [{kind: Service, group: "", name: app}],
              rules: [{from: [{source: {namespaces: [shop]}}], to: [{operation: {methods: [GET]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: tcp-allow-other},
              spec: {targetRefs: [{kind: Service, group: "", name: app}],
              rules: [{to: [{operation: {methods: [GET]}}]}, {from: [{source: {namespaces: [shop]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: tcp-deny-http},
              spec: {targetRefs: [{kind: Service, group: "", name: app}], action: DENY,
              rules: [{from: [{source: {namespaces: [shop]}}], to: [{operation: {methods: [GET]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: tcp-deny-other},
              spec: {targetRefs: [{kind: Service, group: "", name: app}], action: DENY,
              rules: [{from: [{source: {namespaces: [others]}}], to: [{operation: {methods: [GET]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: tcp-custom},
              spec: {targetRefs: [{kind: Service, group: "", name: app}], action: CUSTOM, provider: {name: asks-grpc},
              rules: [{}]}}
            """;

    static final String CUSTOM = """
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: custom}, spec: {
              targetRefs: [{kind: Service, group: "", name: app}], action: CUSTOM, provider: {name: asks-http},
              rules: [{to: [{operation: {paths: [/ext]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: custom-grpc},
              spec: {targetRefs: [{kind: Service, group: "", name: app}], action: CUSTOM, provider: {name: asks-grpc},
              rules: [{to: [{operation: {paths: [/ext]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: custom-unknown},
              spec: {targetRefs: [{kind: Service, group: "", name: app}], action: CUSTOM, provider: {name: whoever},
              rules: [{to: [{operation: {paths: [/ext]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: custom-down},
              spec: {targetRefs: [{kind: Service, group: "", name: app}], action: CUSTOM, provider: {name: nobody-there},
              rules: [{to: [{operation: {paths: [/ext]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: custom-two},
              spec: {targetRefs: [{kind: Service, group: "", name: app}], action: CUSTOM, provider: {name: asks-http},
              rules: [{to: [{operation: {paths: [/one, /both]}}]}]}}
            ---
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: b, namespace: custom-two},
              spec: {targetRefs: [{kind: Service, group: "", name: app}], action: CUSTOM, provider: {name: asks-grpc},
              rules: [{to: [{operation: {paths: [/two, /both]}}]}]}}
            """;

    /// Policies with mistakes.
    static String damaged() {
        return """
                {apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: a, namespace: damaged-jwt},
                  spec: {targetRefs: [{kind: Service, group: "", name: app}], jwtRules: [
                    {issuer: https://b.example, jwks: 'KEYS'},
                    {isuer: https://a.example, jwks: 'OTHERS', fromHeaders: [{name: x-token}],
                      outputClaimToHeaders: [{header: x-claim-sub, claim: sub}]}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: damaged-target},
                  spec: {targetRefs: [{kind: Servce, name: app}], action: DENY,
                    rules: [{to: [{operation: {paths: [/admin]}}]}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: damaged-allow},
                  spec: {targetRefs: [{kind: Service, name: app}], rules: [{form: [{source: {namespaces: [shop]}}]}]}}
                """.replace("KEYS", B.keySet()).replace("OTHERS", A.keySet());
    }

    static String tokens(String server) {
        return """
                {apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: a, namespace: jwt}, spec: {
                  targetRefs: [{kind: Service, group: "", name: app}],
                  jwtRules: [{issuer: https://a.example, jwksUri: SERVER/a, audiences: [web],
                    outputPayloadToHeader: x-payload, outputClaimToHeaders: [{header: x-claim-sub, claim: sub}]}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: jwt}, spec: {
                  targetRefs: [{kind: Service, group: "", name: app}], action: DENY,
                  rules: [{to: [{operation: {paths: [/required]}}], from: [{source: {notRequestPrincipals: ["*"]}}]}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: a, namespace: claims},
                  spec: {targetRefs: [{kind: Service, group: "", name: app}],
                  jwtRules: [{issuer: https://a.example, jwks: 'KEYS', spaceDelimitedClaims: [teams]}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: claims}, spec: {
                  targetRefs: [{kind: Service, group: "", name: app}],
                  rules: [
                    {to: [{operation: {paths: [/list]}}], when: [{key: "request.auth.claims[groups]", values: [admin]}]},
                    {to: [{operation: {paths: [/nested]}}],
                      when: [{key: "request.auth.claims[realm][access][role]", values: [x]}]},
                    {to: [{operation: {paths: [/scope]}}], when: [{key: "request.auth.claims[scope]", values: [write]}]},
                    {to: [{operation: {paths: [/words]}}], when: [{key: "request.auth.claims[teams]", values: [two]}]},
                    {to: [{operation: {paths: [/subject]}}],
                      when: [{key: request.auth.principal, values: [https://a.example/alice]}]},
                    {to: [{operation: {paths: [/who]}}],
                      from: [{source: {requestPrincipals: ["https://a.example/bob*"]}}]},
                    {to: [{operation: {paths: [/for]}}], when: [{key: request.auth.audiences, values: [web]}]}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: a, namespace: two-issuers},
                  spec: {targetRefs: [{kind: Service, group: "", name: app}], jwtRules: [
                    {issuer: https://a.example, jwksUri: SERVER/a, fromHeaders: [{name: x-token}]},
                    {issuer: SERVER/c, fromHeaders: [{name: x-token}], fromParams: [t]}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: a, namespace: no-keys},
                  spec: {targetRefs: [{kind: Service, group: "", name: app}], jwtRules: [
                    {issuer: https://a.example, jwksUri: SERVER/missing}]}}
                ---
                {apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: a, namespace: rotating},
                  spec: {targetRefs: [{kind: Service, group: "", name: app}], jwtRules: [
                    {issuer: https://rotating.example, jwksUri: SERVER/rotating}]}}
                """.replace("SERVER", server).replace("KEYS", A.keySet());
    }
}
