/// The HTTP port of the control plane: metrics, readiness, version and debug pages.
///
/// Entry: [io.fathom.app.fathomd.http.HttpEndpoint]. Every request runs on a virtual thread of its own and reads
/// immutable snapshots: a page delays neither derivations nor streams.
@NullMarked
package io.fathom.app.fathomd.http;

import org.jspecify.annotations.NullMarked;
