// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// One permission or one principal while it is put together: all of its attributes must hold. For one thread.
///
/// A value that cannot be checked here (one of HTTP where only bytes pass, one that cannot be read) never makes a rule
/// that allows reach further, nor a rule that refuses reach less far.
final class Clause<T> {
    private final Logic<T> logic;
    private final Doubt doubt;
    private final List<T> parts = new ArrayList<>();
    private boolean impossible;

    /// What a rule does with a value that cannot be checked.
    enum Doubt {
        /// It must not hold: it allows.
        NARROWS,
        /// It holds without that value: it refuses, or only looks.
        WIDENS
    }

    /// How parts are combined.
    interface Logic<T> {
        T always();

        T all(List<T> parts);

        T either(List<T> parts);

        T not(T part);
    }

    static final Logic<Permission> PERMISSIONS = new Logic<>() {
        @Override
        public Permission always() {
            return Permission.newBuilder().setAny(true).build();
        }

        @Override
        public Permission all(List<Permission> parts) {
            return Permission.newBuilder()
                    .setAndRules(Permission.Set.newBuilder().addAllRules(parts))
                    .build();
        }

        @Override
        public Permission either(List<Permission> parts) {
            return Permission.newBuilder()
                    .setOrRules(Permission.Set.newBuilder().addAllRules(parts))
                    .build();
        }

        @Override
        public Permission not(Permission part) {
            return Permission.newBuilder().setNotRule(part).build();
        }
    };

    static final Logic<Principal> PRINCIPALS = new Logic<>() {
        @Override
        public Principal always() {
            return Principal.newBuilder().setAny(true).build();
        }

        @Override
        public Principal all(List<Principal> parts) {
            return Principal.newBuilder()
                    .setAndIds(Principal.Set.newBuilder().addAllIds(parts))
                    .build();
        }

        @Override
        public Principal either(List<Principal> parts) {
            return Principal.newBuilder()
                    .setOrIds(Principal.Set.newBuilder().addAllIds(parts))
                    .build();
        }

        @Override
        public Principal not(Principal part) {
            return Principal.newBuilder().setNotId(part).build();
        }
    };

    Clause(Logic<T> logic, Doubt doubt) {
        this.logic = logic;
        this.doubt = doubt;
    }

    Clause<T> attribute(Terms terms, Function<String, Optional<T>> translate) {
        return attribute(terms.values(), terms.notValues(), translate);
    }

    /// The attribute must have one of the values, if there are any, and none of the others.
    ///
    /// @param translate empty for a value that cannot be checked
    Clause<T> attribute(List<String> values, List<String> notValues, Function<String, Optional<T>> translate) {
        var wanted = values.stream().map(translate).flatMap(Optional::stream).toList();
        var complete = wanted.size() == values.size();
        if (!wanted.isEmpty() && (complete || doubt == Doubt.NARROWS)) {
            parts.add(logic.either(wanted));
        } else if (!complete) {
            doubtful();
        }
        var unwanted =
                notValues.stream().map(translate).flatMap(Optional::stream).toList();
        if (unwanted.size() < notValues.size()) {
            doubtful();
        }
        if (!unwanted.isEmpty()) {
            parts.add(logic.not(logic.either(unwanted)));
        }
        return this;
    }

    private void doubtful() {
        impossible |= doubt == Doubt.NARROWS;
    }

    /// Empty when it can never hold.
    Optional<T> build() {
        if (impossible) {
            return Optional.empty();
        }
        return Optional.of(parts.isEmpty() ? logic.always() : logic.all(parts));
    }
}
