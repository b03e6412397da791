// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.wire.auth.Credentials;
import java.util.List;

/// Asks authenticators in order; the first that knows the caller wins. If none does, the answer is that of the last one
/// that had something to look at, as credentials of one kind do not speak against those of another.
public final class AuthenticatorChain implements CallerAuthenticator {
    private final List<CallerAuthenticator> authenticators;

    public AuthenticatorChain(List<CallerAuthenticator> authenticators) {
        this.authenticators = List.copyOf(authenticators);
    }

    @Override
    public Attempt authenticate(Credentials credentials) {
        Attempt answer = new Attempt.NotPresented();
        for (var authenticator : authenticators) {
            var attempt = authenticator.authenticate(credentials);
            switch (attempt) {
                case Attempt.Authenticated _ -> {
                    return attempt;
                }
                case Attempt.Rejected _ -> answer = attempt;
                case Attempt.NotPresented _ -> {}
            }
        }
        return answer;
    }
}
