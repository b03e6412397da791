// SPDX-License-Identifier: Apache-2.0
/// Keeps the intermediate of another control plane fresh: [CaHelper] has Vault certify one, renews it in time and
/// stores it where control planes look for plugged certificates, in Secret `cacerts` or in a folder ([CacertsFolder]).
/// Everything runs on tasks of a [io.fathom.base.lang.Timeline], one at a time. Must not know who reads what it stores.
@NullMarked
package io.fathom.control.ca.helper;

import org.jspecify.annotations.NullMarked;
