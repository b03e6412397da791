@NullMarked
package io.fathom.control.ca.vault;

import org.jspecify.annotations.NullMarked;
