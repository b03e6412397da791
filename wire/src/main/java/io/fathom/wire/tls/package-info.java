/// TLS for servers whose certificate and roots change while they run. Entry class: `ReloadingServerTls`.
@NullMarked
package io.fathom.wire.tls;

import org.jspecify.annotations.NullMarked;
