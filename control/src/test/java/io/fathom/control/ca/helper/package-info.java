@NullMarked
package io.fathom.control.ca.helper;

import org.jspecify.annotations.NullMarked;
