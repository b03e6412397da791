// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.Map;

/// The labels of an object and the scope, such as a namespace, in which selectors look for it.
public record Labels<S>(S scope, Map<String, String> labels) {}
